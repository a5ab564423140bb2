import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";

import { Client } from "./client.js";
import { JobstrandError, Refused, isWorthWaiting } from "./errors.js";
import { refuseOthers } from "./names.js";
import { Pause } from "./pause.js";
import { completed, failed, untold } from "./result.js";

/** Jobs that one request is about, which is one transaction. */
const kJobsPerRequest = 1000;

/** Results of so many characters are enough for a request: with one more it is still shorter than the service takes. */
const kCharactersPerRequest = 2 * 1024 * 1024;

/** What a request is told when it cannot be meant so, or is too long. */
const kOfWhatItSays = [400, 413, 422];

const kOptions = ["concurrency", "graceMs", "lockMs", "log", "name", "signals", "tenantId", "token", "waitMs"];

/**
 * Takes external jobs from a service, runs a handler for each, and says what became of it.
 *
 *     const worker = new Worker("http://127.0.0.1:8080");
 *     worker.handler("mail", async (job) => { ... });
 *     await worker.run();
 *
 * A handler that returns, whatever it is, has done the job; Variables are handed on to the app. One that throws, or returns
 * variables that JSON cannot say, has failed the attempt: the job comes again as its retry cycle says, and is a dead letter
 * after its last attempt. A job may come twice, when its worker dies or stands still for longer than its lock; handlers must
 * bear that.
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
  #bug = null;
  #wake = () => {};

  /**
   * `client`: or the URL of the service. `name`: unique among all workers. `concurrency`: how many jobs are held, and
   * run, at a time. `waitMs`: how long one request waits for jobs, which is how long a stop may take. `graceMs`: what
   * running handlers have after a stop. `log`: told of what goes wrong.
   */
  constructor(client, options = {}) {
    refuseOthers("Worker", options, kOptions);
    this.#client = client instanceof Client ? client : new Client(client, { token: options.token });
    this.#options = { concurrency: 100, lockMs: 300_000, waitMs: 5000, graceMs: 30_000, signals: true, log: console.warn, ...options };
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  }

  /** The handler of a handler type, which workers call a topic. */
  handler(topic, handle) {
    if (typeof handle !== "function") {
      throw new TypeError(`the handler of ${topic} is no function`);
    }
    this.#handlers.set(topic, handle);
    return this;
  }

  /** Works until it is stopped. Rejects with what the service refuses for good, such as a wrong token, and with a bug of its own. */
  async run() {
    if (this.#handlers.size === 0) {
      throw new RangeError("a worker needs a handler");
    }
    const stop = () => this.stop();
    const signals = this.#options.signals ? ["SIGTERM", "SIGINT"] : [];
    signals.forEach((signal) => process.on(signal, stop));
    const heartbeat = setInterval(() => this.#prolongAll().catch((error) => this.#endBy(error)), this.#options.lockMs / 3);
    try {
      await this.#fetch();
    } finally {
      this.stop();
      await this.#end();
      clearInterval(heartbeat);
      signals.forEach((signal) => process.off(signal, stop));
    }
    if (this.#bug !== null) {
      throw new Error(`the worker has ended by a bug: ${this.#bug.cause?.message}`, this.#bug);
    }
  }

  /** Begins to stop. */
  stop() {
    this.#stopping.abort();
    this.#wake();
  }

  /** It cannot go on: it begins to stop, and run() rejects. */
  #endBy(cause) {
    this.#bug ??= { cause };
    this.stop();
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
    const run = this.#run(one).catch((error) => this.#endBy(error)).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(one) {
    let result; // In JSON, each for itself, so that none can spoil another.
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
      const told = this.#nextResults();
      const counting = told.filter(({ one }) => !one.lost.signal.aborted);
      if (counting.length > 0) {
        await this.#finish(counting);
      }
      told.forEach(({ one }) => this.#forget(one));
      this.#wake();
    }
    this.#telling = null;
  }

  #nextResults() {
    let room = kCharactersPerRequest;
    let count = 0;
    while (room > 0 && count < Math.min(this.#results.length, kJobsPerRequest)) {
      room -= this.#results[count].result.text.length;
      count += 1;
    }
    return this.#results.splice(0, count);
  }

  /** What the service does not take is told as a failure of that job alone. */
  async #finish(told) {
    const refused = await this.#refusedAmong(told);
    const again = refused.map(({ one, why }) => ({ one, result: untold(one.job, `the service refuses its result: ${why}`) }));
    for (const { one, why } of await this.#refusedAmong(again)) {
      this.#options.log(`what became of job ${one.job.id} cannot be told; it runs again: ${why}`);
    }
  }

  /** Tells it. Resolves to those whose results cannot be meant so, each with the reason. */
  async #refusedAmong(told) {
    if (told.length === 0) {
      return [];
    }
    let answers;
    try {
      answers = await this.#answersTo(told.map(({ result }) => result));
    } catch (error) {
      if (!isOfWhatItSays(error)) {
        throw error;
      }
      if (told.length === 1) {
        return [{ one: told[0].one, why: error.message }];
      }
      const middle = told.length >> 1;
      return [...(await this.#refusedAmong(told.slice(0, middle))), ...(await this.#refusedAmong(told.slice(middle)))];
    }
    const refused = new Map(answers.filter(({ answer }) => answer === "refused").map(({ id, why }) => [id, why]));
    for (const { id, answer } of answers.filter((one) => one.answer !== "refused")) {
      this.#options.log(`the result of job ${id} does not count: ${answer}`);
    }
    return told.filter(({ one }) => refused.has(one.job.id)).map(({ one }) => ({ one, why: refused.get(one.job.id) }));
  }

  /** Rejects with Refused when the service says that it cannot be meant so. */
  async #answersTo(results) {
    const giveUp = Date.now() + this.#options.lockMs;
    const pause = new Pause();
    for (;;) {
      try {
        return await this.#client.finish(this.name, results);
      } catch (error) {
        if (!(error instanceof JobstrandError) || isOfWhatItSays(error)) {
          throw error;
        }
        if (!isWorthWaiting(error) || Date.now() > giveUp) {
          this.#options.log(`what became of ${results.length} jobs cannot be told; they run again: ${error.message}`);
          return [];
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

function isOfWhatItSays(error) {
  return error instanceof Refused && kOfWhatItSays.includes(error.status);
}
