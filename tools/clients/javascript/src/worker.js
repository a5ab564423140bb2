import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";

import { Client } from "./client.js";
import { BusinessError, Fail, isWorthWaiting } from "./errors.js";
import { Pause } from "./pause.js";
import { durationText } from "./texts.js";

/** Jobs that one request is about, which is one transaction. */
const kJobsPerRequest = 1000;

/**
 * Takes external jobs from a service, runs a handler for each, and says what became of it.
 *
 *     const worker = new Worker("http://127.0.0.1:8080");
 *     worker.handler("mail", async (job) => { ... });
 *     await worker.run();
 *
 * A handler that returns has done the job; what it returns goes to the app as variables. One that throws has failed the
 * attempt: the job comes again as its retry cycle says, and is a dead letter after its last attempt. A job may come
 * twice, when its worker dies or stands still for longer than its lock; handlers must bear that.
 *
 * Locks are prolonged while jobs are held. `job.signal` aborts when a lock is lost: then what becomes of the job here
 * does not count. SIGTERM and SIGINT, or stop(), let the running handlers end. A worker runs once.
 */
export class Worker {
  #client;
  #options;
  #handlers = new Map();
  #held = new Map();
  #running = new Set();
  #results = [];
  #stopping = new AbortController();
  #telling = null;
  #wake = () => {};

  /**
   * `client`: or the URL of the service. `name`: unique among all workers. `concurrency`: how many jobs are held, and
   * run, at a time. `waitMs`: how long one request waits for jobs, which is how long a stop may take. `graceMs`: what
   * running handlers have after a stop. `log`: told of what goes wrong.
   */
  constructor(client, options = {}) {
    this.#client = client instanceof Client ? client : new Client(client, { token: options.token });
    this.#options = { concurrency: 100, lockMs: 300_000, waitMs: 5000, graceMs: 30_000, signals: true, log: console.warn, ...options };
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  }

  /** The handler of a handler type, which workers call a topic. */
  handler(topic, handle) {
    this.#handlers.set(topic, handle);
    return this;
  }

  /** Works until it is stopped. Rejects with what the service refuses for good, such as a wrong token. */
  async run() {
    if (this.#handlers.size === 0) {
      throw new RangeError("a worker needs a handler");
    }
    const stop = () => this.stop();
    const signals = this.#options.signals ? ["SIGTERM", "SIGINT"] : [];
    signals.forEach((signal) => process.on(signal, stop));
    const heartbeat = setInterval(() => this.#prolongAll(), this.#options.lockMs / 3);
    try {
      await this.#fetch();
    } finally {
      this.stop();
      await this.#end();
      clearInterval(heartbeat);
      signals.forEach((signal) => process.off(signal, stop));
    }
  }

  /** Begins to stop. */
  stop() {
    this.#stopping.abort();
    this.#wake();
  }

  get #isStopping() {
    return this.#stopping.signal.aborted;
  }

  async #fetch() {
    const { concurrency, lockMs, waitMs, tenantId, log } = this.#options;
    const pause = new Pause();
    while (!this.#isStopping) {
      // A request for each place that gets free would be one for each job.
      if (this.#held.size > concurrency / 2) {
        await new Promise((resolve) => (this.#wake = resolve));
        continue;
      }
      let jobs;
      try {
        const most = { jobs: concurrency - this.#held.size, lockMs, waitMs, tenantId };
        jobs = await this.#client.acquire(this.name, [...this.#handlers.keys()], most);
        pause.reset();
      } catch (error) {
        if (!isWorthWaiting(error)) {
          throw error;
        }
        log(`cannot fetch jobs: ${error.message}`);
        await pause.after(error, this.#stopping.signal);
        continue;
      }
      if (this.#isStopping) {
        await this.#giveBack(jobs);
        return;
      }
      jobs.forEach((job) => this.#start(job));
    }
  }

  #start(raw) {
    // One that comes again while it runs here: the lock of the former run is lost.
    this.#held.get(raw.id)?.lost.abort();
    const lost = new AbortController();
    const job = Object.freeze({ ...raw, attempt: raw.attempts + 1, signal: lost.signal });
    const one = { job, lost };
    this.#held.set(raw.id, one);
    const run = this.#run(one).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(one) {
    let result;
    try {
      result = completed(one.job, await this.#handlers.get(one.job.handlerType)(one.job));
    } catch (error) {
      result = failed(one.job, error);
    }
    this.#results.push({ one, result });
    this.#telling ??= this.#tellAll();
    await this.#telling;
  }

  async #tellAll() {
    await null; // What ends at the same time shares a request.
    while (this.#results.length > 0) {
      const told = this.#results.splice(0, kJobsPerRequest);
      const counting = told.filter(({ one }) => !one.lost.signal.aborted);
      if (counting.length > 0) {
        await this.#finish(counting.map(({ result }) => result));
      }
      told.forEach(({ one }) => this.#forget(one));
      this.#wake();
    }
    this.#telling = null;
  }

  async #finish(results) {
    const giveUp = Date.now() + this.#options.lockMs;
    const pause = new Pause();
    for (;;) {
      try {
        for (const { id, answer } of await this.#client.finish(this.name, results)) {
          this.#options.log(`the result of job ${id} does not count: ${answer}`);
        }
        return;
      } catch (error) {
        if (!isWorthWaiting(error) || Date.now() > giveUp) {
          this.#options.log(`what became of ${results.length} jobs cannot be told; they run again: ${error.message}`);
          return;
        }
        this.#options.log(`cannot tell what became of ${results.length} jobs: ${error.message}`);
        await pause.after(error);
      }
    }
  }

  async #prolongAll() {
    const all = [...this.#held.values()];
    for (let start = 0; start < all.length; start += kJobsPerRequest) {
      const part = all.slice(start, start + kJobsPerRequest);
      try {
        const refused = new Set((await this.#client.extend(this.name, part.map(({ job }) => job), this.#options.lockMs)).map(({ id }) => id));
        part.filter((one) => refused.has(one.job.id) && this.#held.get(one.job.id) === one).forEach((one) => this.#lose(one));
      } catch (error) {
        this.#options.log(`cannot prolong locks: ${error.message}`);
      }
    }
  }

  #lose(one) {
    this.#options.log(`the lock of job ${one.job.id} is lost`);
    this.#forget(one);
    one.lost.abort();
    this.#wake();
  }

  #forget(one) {
    if (this.#held.get(one.job.id) === one) {
      this.#held.delete(one.job.id);
    }
  }

  async #giveBack(jobs) {
    if (jobs.length === 0) {
      return;
    }
    await this.#client.release(this.name, jobs).catch((error) => {
      this.#options.log(`cannot give ${jobs.length} jobs back; they are free when their locks end: ${error.message}`);
    });
  }

  async #end() {
    const over = new AbortController();
    const grace = sleep(this.#options.graceMs, "over", { signal: over.signal }).catch(() => {});
    if ((await Promise.race([Promise.all(this.#running), grace])) === "over") {
      this.#options.log(`${this.#running.size} handlers do not end; their jobs run again when their locks are over`);
    }
    over.abort();
  }
}

/** The handler returned this: nothing, or variables for the app. */
function completed(job, variables) {
  const result = { id: job.id, revision: job.revision, outcome: "complete" };
  return variables === undefined || variables === null ? result : { ...result, variables };
}

/** The handler threw this. */
function failed(job, error) {
  const about = { id: job.id, revision: job.revision };
  if (error instanceof BusinessError) {
    return { ...about, outcome: "error", errorCode: error.code, message: error.text, variables: error.variables };
  }
  const result = { ...about, outcome: "fail", message: String(error?.message ?? error) || "an error without a message" };
  if (!(error instanceof Fail)) {
    // As JavaScript itself tells it, so that the class of the error is there to be counted.
    return { ...result, message: error instanceof Error ? String(error) : result.message, details: error?.stack };
  }
  const retryAfter = error.retryAfterMs === undefined ? undefined : durationText(error.retryAfterMs);
  return { ...result, details: error.details, retries: error.retries, retryAfter };
}
