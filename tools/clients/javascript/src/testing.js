import { BusinessError, Conflict, Fail } from "./errors.js";
import { Job } from "./job.js";
import { refuseOthers } from "./names.js";
import { recording } from "./recording.js";
import { freshId, jobToJson } from "./texts.js";
import { Worker } from "./worker.js";

const kRetries = 3;

const kDuration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/;

/**
 * For the tests of an app: what it enqueues is kept instead, and its handlers run here, on a clock that the test moves.
 *
 *     const jobs = new Recorder();
 *     try {
 *       await placeOrder(connection); // Which calls enqueue(), enqueueBy(), or enqueue() of a Client.
 *       assert.deepEqual(jobs.waiting.map(({ handlerType }) => handlerType), ["mail"]);
 *       await jobs.run(worker); // What is due, with the handlers of a Worker.
 *       jobs.advance(3_600_000); // What was to wait is due now.
 *       await jobs.run(worker);
 *     } finally {
 *       jobs.end();
 *     }
 *
 * No service and no database of Jobstrand is needed. One at a time. A job with `repeat` runs once.
 */
export class Recorder {
  #open = [];

  /** `now`: what its clock shows at first; the time of day if not said. */
  constructor(options = {}) {
    refuseOthers("Recorder", options, ["now"]);
    if (recording.record !== undefined) {
      throw new Error("another Recorder is at work");
    }
    this.now = options.now ?? new Date();
    /** All, in order, whatever became of them. */
    this.enqueued = [];
    /** Those whose last attempt has failed. */
    this.dead = [];
    recording.record = (job) => this.#record(job);
  }

  end() {
    recording.record = undefined;
  }

  /** Those that have not run, in the order in which they are due. */
  get waiting() {
    return this.#inOrder().map(({ job }) => job);
  }

  /** Moves the clock. */
  advance(ms) {
    this.now = new Date(this.now.getTime() + ms);
  }

  /**
   * Runs what is due and what that enqueues, one job after the other, until nothing is. Resolves to `{ job, returned, error }` of each
   * run. `raises`: what a handler throws comes through, but BusinessError; if not, the job waits for its next attempt, or is dead
   * after its last.
   */
  async run(worker, options = {}) {
    refuseOthers("run", options, ["raises"]);
    const ran = [];
    const next = () => this.#inOrder().find(({ job, due }) => due <= this.now && Worker.handlerOf(worker, job.handlerType) !== undefined);
    for (let one = next(); one !== undefined; one = next()) {
      this.#open.splice(this.#open.indexOf(one), 1);
      const run = await runOf(one, Worker.handlerOf(worker, one.job.handlerType));
      ran.push(run);
      if ("error" in run && !(run.error instanceof BusinessError)) {
        if (options.raises ?? true) {
          throw run.error;
        }
        this.#retry(one, run.error);
      }
    }
    return ran;
  }

  #retry(one, error) {
    const left = (error instanceof Fail ? error.retries : undefined) ?? (one.job.retries ?? kRetries) - one.attempt;
    if (left > 0) {
      const wait = error instanceof Fail ? (error.retryAfterMs ?? 0) : 0;
      this.#open.push({ ...one, due: new Date(this.now.getTime() + wait), attempt: one.attempt + 1 });
    } else {
      this.dead.push(one.job);
    }
  }

  #record(said) {
    jobToJson(said);
    const job = { ...said, id: said.id ?? freshId(), payload: JSON.parse(JSON.stringify(said.payload ?? null)) };
    const other = this.#open.find(({ job: { uniqueKey } }) => uniqueKey !== undefined && uniqueKey === job.uniqueKey);
    if (other !== undefined && job.onDuplicate === "keep") {
      return { id: other.job.id, isNew: false, replaced: null };
    }
    if (other !== undefined && job.onDuplicate === "replace") {
      this.#open.splice(this.#open.indexOf(other), 1);
    } else if (other !== undefined || this.#open.some(({ job: { id } }) => id === job.id)) {
      throw new Conflict(409, "the id or the unique key is taken");
    }
    this.enqueued.push(job);
    this.#open.push({ job, due: this.#dueOf(job.dueDate), attempt: 1 });
    return { id: job.id, isNew: true, replaced: other?.job.id ?? null };
  }

  #dueOf(due) {
    if (due === undefined || due === null) {
      return this.now;
    }
    const [, days = 0, hours = 0, minutes = 0, seconds = 0] = kDuration.exec(due) ?? [];
    const isDuration = typeof due === "string" && kDuration.test(due);
    const ms = isDuration ? (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 : due;
    const time = typeof ms === "number" ? new Date(this.now.getTime() + ms) : new Date(due);
    if (Number.isNaN(time.getTime())) {
      throw new RangeError(`a due date in words needs the service: ${due}`);
    }
    return time;
  }

  #inOrder() {
    return [...this.#open].sort((left, right) => left.due - right.due);
  }
}

async function runOf({ job, attempt }, handle) {
  const given = new Job({ ...job, revision: 1, attempts: attempt - 1 });
  try {
    return { job: given, returned: await handle(given) };
  } catch (error) {
    return { job: given, error };
  }
}
