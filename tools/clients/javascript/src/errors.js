import { refuseOthers } from "./names.js";

/** The service could not be asked, or said no. */
export class JobstrandError extends Error {}

/** No answer came. What was asked for may have been done all the same. */
export class Unreachable extends JobstrandError {}

/** The service said no. `status` is that of HTTP; `errors` has a sentence for each thing that is wrong. */
export class Refused extends JobstrandError {
  constructor(status, detail, errors = [], retryAfterMs = undefined) {
    super(errors.length ? `${detail}: ${errors.join("; ")}` : detail);
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What was asked for cannot be meant so; nothing was changed. */
export class Invalid extends Refused {}

/** No token, or one that does not allow it. */
export class NotAllowed extends Refused {}

/** There is no such thing, or there is not any more. */
export class NotFound extends Refused {}

/** An id or a key is taken, or the thing is in a state that does not allow it. */
export class Conflict extends Refused {}

/** Too much at once, or the database is away: ask again later. */
export class Overloaded extends Refused {}

const kKinds = { 400: Invalid, 401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 413: Invalid, 422: Invalid, 503: Overloaded };

/** Of the class for this status. */
export function refusedOf(status, ...more) {
  return new (kKinds[status] ?? Refused)(status, ...more);
}

/** A job that is to be replaced has begun to run, or has ended while its unique key goes on to hold. */
export class KeyHeld extends JobstrandError {}

/** Thrown by a handler: this attempt has failed. Any other error fails it too, as the job's retry cycle says. */
export class Fail extends Error {
  /**
   * `retryAfterMs`: how long the job waits instead. `retries`: how many attempts are left instead; 0: none. `details`: the
   * stack, if there are none.
   */
  constructor(message, options = {}) {
    refuseOthers("Fail", options, ["cause", "details", "retries", "retryAfterMs"]);
    const { cause, details, retries, retryAfterMs } = options;
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { retryAfterMs, retries, details });
  }
}

/** Thrown by a handler: the work is done, and ended in an error of this code, which is handed on to the app. */
export class BusinessError extends Error {
  constructor(code, message = "", variables = undefined) {
    super(message || code);
    Object.assign(this, { code, text: message, variables });
  }
}

/** Whether the same request may succeed later. */
export function isWorthWaiting(error) {
  if (error instanceof Refused) {
    return error.status >= 500 || error.status === 408 || error.status === 429;
  }
  return error instanceof Unreachable;
}
