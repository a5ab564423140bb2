import { BusinessError, Fail } from "./errors.js";
import { Job } from "./job.js";
import { Encoded, durationText, encoded, sayable } from "./texts.js";

/** The longest that is told of a job, which is what the service takes as a payload. */
const kMostBytes = 8 * 1024 * 1024;

/** The longest message, in characters; the service keeps less. */
const kMostMessage = 10_000;

/** The longest stack, likewise: its beginning, which says most. */
const kMostDetails = 50_000;

/** How many errors are told of one: itself, its causes, and theirs. */
const kMostErrors = 8;

/** Returned by a handler: the job is done, and these are handed on to the app. */
export class Variables {
  constructor(variables) {
    this.variables = variables;
  }
}

/** The handler returned this. Throws TypeError for variables that JSON cannot say. */
export function completed(job, returned) {
  if (!(returned instanceof Variables)) {
    return new Encoded(`{"id":${JSON.stringify(job.id)},"revision":${job.revision}}`);
  }
  try {
    return written({ ...about(job), outcome: "complete", variables: returned.variables });
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
  const lines = job instanceof Job ? Job.linesOf(job).map((line) => `\n${line}`).join("") : "";
  const stack = typeof error?.stack === "string" ? sayable(stackOf(error).slice(0, kMostDetails)) : undefined;
  const details = stack === undefined && lines === "" ? undefined : (stack ?? "") + lines;
  if (!(error instanceof Fail)) {
    // The class of the error is there to be counted.
    return { ...result, message: error instanceof Error ? textOf(() => `${classOf(error)}: ${error.message}`) : result.message, details };
  }
  const retryAfter = error.retryAfterMs === undefined ? undefined : durationText(error.retryAfterMs);
  return { ...result, details: error.details === undefined ? details : error.details + lines, retries: error.retries, retryAfter };
}

/** Its name; that of its constructor, if it has none of its own. */
function classOf(error) {
  return error.name === "Error" ? (error.constructor?.name ?? error.name) : error.name;
}

/** With its causes, which the stack alone does not name. */
function stackOf(error) {
  const told = new Set([error]);
  for (const one of told) {
    for (const cause of [...(Array.isArray(one.errors) ? one.errors : []), one.cause]) {
      if (typeof cause?.stack === "string" && told.size < kMostErrors) {
        told.add(cause);
      }
    }
  }
  return [...told].map(({ stack }) => stack).join("\nCaused by: ");
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
