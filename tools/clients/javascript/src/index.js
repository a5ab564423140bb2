export { Client } from "./client.js";
export { BusinessError, Fail, JobstrandError, Refused, Unreachable } from "./errors.js";
export { enqueueBy, insertionOf } from "./sql.js";
export { Variables } from "./result.js";
export { Worker } from "./worker.js";
