export { Client } from "./client.js";
export { engineOf } from "./engines.js";
export { BusinessError, Conflict, Fail, Invalid, JobstrandError, KeyHeld, NotAllowed, NotFound, Overloaded, Refused, Unreachable } from "./errors.js";
export { enqueue, enqueueBy, insertionOf } from "./sql.js";
export { Variables } from "./result.js";
export { Worker } from "./worker.js";
