import { BusinessError, Fail } from "./errors.js";
import { durationText, encoded, sayable } from "./texts.js";

/** The longest that is told of a job, which is what the service takes as a payload. */
const kMostBytes = 8 * 1024 * 1024;

/** The longest message, in characters; the service keeps less. */
const kMostMessage = 10_000;

/** The handler returned this: nothing, or variables for the app. Throws TypeError for what JSON cannot say. */
export function completed(job, variables) {
  const result = { ...about(job), outcome: "complete" };
  if (variables === undefined || variables === null) {
    return written(result);
  }
  try {
    return written({ ...result, variables });
  } catch (error) {
    throw new TypeError(`what the handler returned cannot be told: ${messageOf(error)}`, { cause: error });
  }
}

/** The handler threw this. Throws nothing: what cannot be told as it is, is told without its details. */
export function failed(job, error) {
  try {
    return written(error instanceof BusinessError ? businessError(job, error) : failure(job, error));
  } catch (reason) {
    return untold(job, `${messageOf(error)} (which cannot be told as it is: ${messageOf(reason)})`);
  }
}

/** Its result could not be told. */
export function untold(job, message) {
  return written({ ...about(job), outcome: "fail", message: sayable(message.slice(0, kMostMessage)) });
}

function written(result) {
  const json = encoded(result);
  const bytes = Buffer.byteLength(json.text);
  if (bytes > kMostBytes) {
    throw new RangeError(`it is ${bytes} bytes long, and at most ${kMostBytes} are told`);
  }
  return json;
}

function failure(job, error) {
  const result = { ...about(job), outcome: "fail", message: messageOf(error) };
  if (!(error instanceof Fail)) {
    // As JavaScript itself tells it, so that the class of the error is there to be counted.
    const message = error instanceof Error ? textOf(() => error) : result.message;
    return { ...result, message, details: typeof error?.stack === "string" ? sayable(error.stack) : undefined };
  }
  const retryAfter = error.retryAfterMs === undefined ? undefined : durationText(error.retryAfterMs);
  return { ...result, details: error.details, retries: error.retries, retryAfter };
}

function businessError(job, error) {
  return { ...about(job), outcome: "error", errorCode: error.code, message: error.text, variables: error.variables };
}

function about({ id, revision }) {
  return { id, revision };
}

function messageOf(error) {
  return textOf(() => error?.message ?? error);
}

function textOf(say) {
  try {
    return sayable(String(say()).slice(0, kMostMessage)) || "an error without a message";
  } catch {
    return "an error without a text";
  }
}
