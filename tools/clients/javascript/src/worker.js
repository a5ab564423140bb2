import { hostname } from "node:os";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";

import { Client } from "./client.js";
import { JobstrandError, Refused, isWorthWaiting } from "./errors.js";
import { kAheadMs } from "./forecast.js";
import { refuseOthers } from "./names.js";
import { JobsInHand } from "./in_hand.js";
import { Job } from "./job.js";
import { Outage } from "./outage.js";
import { Pause } from "./pause.js";
import { completed, failed, untold } from "./result.js";
import { Shares } from "./shares.js";

/** Jobs that one request is about, which is one transaction. */
const kJobsPerRequest = 1000;

/** Requests that tell results at a time; a further one begins when so many results wait for it. */
const kTellers = 2;
const kEnoughToTell = 500;

/** How long handlers that do not wait are started, in milliseconds, before others have their turn. */
const kTurnMs = 10;

/** So many requests for all topics come before one for the quick ones alone, while places are free. */
const kInARow = 4;

/** Results of so many characters are enough for a request: with one more it is still shorter than the service takes. */
const kCharactersPerRequest = 2 * 1024 * 1024;

/** What a request is told when it cannot be meant so, or is too long. */
const kOfWhatItSays = [400, 413, 422];

/** What an outage is told of. */
const kTell = "tell what became of jobs";
const kKeep = "keep locks";

/** How often it is asked whether jobs that run for longer than that are held still. */
const kLookMs = 800;

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
 * Locks are prolonged while jobs are held. `job.signal` aborts when a lock is lost, because the job was cancelled, say: then
 * what becomes of the job here does not count. It aborts as well when the time of the handler is over. SIGTERM and SIGINT, or stop(), let the running handlers end. A worker runs once.
 */
export class Worker {
  #client;
  #options;
  #handlers = new Map();
  #inHand;
  #outage;
  #results = [];
  #stopping = new AbortController();
  #tellers = 0;
  #isPausing = false;
  /** Whether there were fewer jobs than were asked for. */
  #isShort = false;
  /** Requests for all topics since the last one for some. */
  #inARow = 0;
  #surplusTimer;
  /** Whether the service knows how to be told of progress. */
  #canTell = true;
  #bug = null;
  #wake = () => {};
  #wakeEnd = () => {};

  /**
   * `client`: or the URL of the service. `name`: unique among all workers. `concurrency`: how many jobs run at a time.
   * Beyond these are fetched what starts within about 50 ms by the measure of the last runs; what does not after all is
   * given back. `waitMs`: how long one request waits for jobs, which is how long a stop may take. `graceMs`: what
   * running handlers have after a stop. `log`: told at the start what is served, and then of what goes wrong.
   */
  constructor(client, options = {}) {
    refuseOthers("Worker", options, kOptions);
    this.#client = client instanceof Client ? client : new Client(client, { token: options.token });
    this.#options = { concurrency: 100, lockMs: 300_000, waitMs: 5000, graceMs: 30_000, signals: true, log: console.warn, ...options };
    this.#outage = new Outage(this.#options.log);
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  }

  /**
   * The handler of a handler type, which workers call a topic. `weight`: of the topic among those of the worker: while each
   * has jobs, one of weight 3 gets three times the places of one of weight 1. All of the same: the jobs come in their order,
   * whatever their topic. `timeoutMs`: the attempt of a handler that runs for longer has failed, and its place is free.
   */
  handler(topic, handle, options = {}) {
    refuseOthers(`the handler of ${topic}`, options, ["timeoutMs", "weight"]);
    const { timeoutMs, weight = 1 } = options;
    if (!Number.isInteger(weight) || weight < 1) {
      throw new RangeError("a weight is a whole number, and at least 1");
    }
    if (typeof handle !== "function") {
      throw new TypeError(`the handler of ${topic} is no function`);
    }
    if (timeoutMs !== undefined && !(timeoutMs > 0)) {
      throw new RangeError("a timeout is more than nothing");
    }
    this.#handlers.set(topic, { handle, timeoutMs, weight });
    return this;
  }

  /** undefined: it has none. For tests. */
  static handlerOf(worker, topic) {
    return worker.#handlers.get(topic)?.handle;
  }

  /** Works until it is stopped. Rejects with what the service refuses for good, such as a wrong token, and with a bug of its own. */
  async run() {
    if (this.#handlers.size === 0) {
      throw new RangeError("a worker needs a handler");
    }
    const stop = () => this.stop();
    const signals = this.#options.signals ? ["SIGTERM", "SIGINT"] : [];
    signals.forEach((signal) => process.on(signal, stop));
    const over = new AbortController();
    this.#inHand = new JobsInHand(this.#options.concurrency, [...this.#handlers.keys()]);
    this.#keepLocks(over.signal).catch((error) => this.#endBy(error));
    try {
      await this.#fetch();
    } finally {
      this.stop();
      await this.#end();
      over.abort();
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
    this.#wakeEnd();
  }

  get #isStopping() {
    return this.#stopping.signal.aborted;
  }

  async #fetch() {
    const weights = [...this.#handlers].map(([topic, { weight }]) => [topic, weight]);
    const served = weights.map(([topic, weight]) => (weight === 1 ? topic : `${topic} (weight ${weight})`)).join(", ");
    this.#options.log(`worker ${this.name} serves ${served}, ${this.#options.concurrency} places, at ${this.#client.address}`);
    const shares = new Set(weights.map(([, weight]) => weight)).size > 1 ? new Shares(weights) : undefined;
    const pause = new Pause();
    while (!this.#isStopping) {
      const { free, ahead, topics } = this.#room(shares);
      if (free + ahead === 0) {
        await new Promise((resolve) => (this.#wake = resolve));
        await turn(); // What ends at the same time shares a request.
        continue;
      }
      try {
        await this.#fill(free, ahead, topics, shares);
        this.#outage.ended("fetch jobs");
        pause.reset();
      } catch (error) {
        if (!isWorthWaiting(error)) {
          throw error;
        }
        this.#outage.began("fetch jobs", error);
        await pause.after(error, this.#stopping.signal);
      }
    }
  }

  /** `topics`: undefined, all of them. */
  #room(shares) {
    const { free, ahead, quick } = this.#inHand.room();
    if (quick.length === this.#handlers.size) {
      return { free, ahead };
    }
    // Jobs of some topics that came before a place is free would take it from the others, whatever their weight. But where
    // short jobs leave it free whenever it is looked at, some jobs of any topic are followed by many of the quick ones.
    const isTurnOfQuick = ahead > 0 && !this.#isShort && shares === undefined && (free === 0 || this.#inARow >= kInARow);
    return isTurnOfQuick ? { free, ahead, topics: quick } : { free, ahead: 0 };
  }

  /** By weight first; what that leaves, as the jobs come. */
  async #fill(free, ahead, topics, shares) {
    const most = Math.min(free + ahead, kJobsPerRequest);
    const order = topics === undefined ? (shares?.of(most) ?? []) : [];
    const ofTopics = new Map();
    for (const topic of new Set(order)) {
      ofTopics.set(topic, (await this.#acquire([topic], order.filter((one) => one === topic).length, 0)).reverse());
    }
    const jobs = order.map((topic) => ofTopics.get(topic).pop()).filter((job) => job !== undefined);
    if (jobs.length < most) {
      const waitMs = jobs.length > 0 || topics !== undefined ? 0 : this.#options.waitMs;
      jobs.push(...(await this.#acquire(topics ?? [...this.#handlers.keys()], most - jobs.length, waitMs)));
    }
    this.#isShort = jobs.length < most;
    this.#inARow = topics === undefined ? this.#inARow + 1 : 0;
    this.#take(jobs);
  }

  #acquire(topics, jobs, waitMs) {
    const { lockMs, tenantId } = this.#options;
    return this.#client.acquire(this.name, topics, { jobs, lockMs, waitMs, tenantId });
  }

  #take(jobs) {
    // One that comes again while it is here: the lock of its former run is lost.
    jobs.forEach(({ id }) => this.#cancel(this.#inHand.get(id)));
    this.#inHand.add(jobs.map((raw) => ({ job: new Job(raw), isLost: false })));
    this.#startAll();
    if (this.#inHand.waiting > 0) {
      this.#surplusTimer ??= setInterval(() => this.#giveSurplusBack(), kAheadMs / 2);
    }
  }

  /** What waits, at the places that are free. Handlers that do not wait themselves leave the turn to others now and then. */
  #startAll() {
    const until = performance.now() + kTurnMs;
    let one;
    while (!this.#isStopping && !this.#isPausing && (one = this.#inHand.take()) !== undefined) {
      this.#start(one);
      if (performance.now() > until) {
        this.#isPausing = true;
        setImmediate(() => {
          this.#isPausing = false;
          this.#startAll();
        });
      }
    }
    this.#wake();
  }

  #giveSurplusBack() {
    if (this.#inHand.waiting === 0) {
      clearInterval(this.#surplusTimer);
      this.#surplusTimer = undefined;
    } else {
      this.#giveBack(this.#inHand.surplus()).catch((error) => this.#endBy(error));
    }
  }

  #start(one) {
    let returned;
    try {
      returned = this.#handled(one);
    } catch (error) {
      this.#ended(one, failed(one.job, error));
      return;
    }
    if (typeof returned?.then === "function") {
      this.#waitFor(one, returned);
    } else {
      this.#ended(one, this.#resultOf(one, returned));
    }
  }

  async #waitFor(one, promise) {
    try {
      let result;
      try {
        result = completed(one.job, await promise);
      } catch (error) {
        result = failed(one.job, error);
      }
      this.#ended(one, result);
      this.#startAll();
    } catch (error) {
      this.#endBy(error);
    }
  }

  /** In JSON, each for itself, so that none can spoil another. */
  #resultOf(one, returned) {
    try {
      return completed(one.job, returned);
    } catch (error) {
      return failed(one.job, error);
    }
  }

  #ended(one, result) {
    this.#inHand.freePlaceOf(one);
    this.#results.push({ one, result });
    if (this.#tellers === 0 || (this.#tellers < kTellers && this.#results.length >= kEnoughToTell)) {
      this.#tellers += 1;
      this.#tellAll().catch((error) => this.#endBy(error));
    }
  }

  #handled({ job }) {
    const { handle, timeoutMs } = this.#handlers.get(job.handlerType);
    return timeoutMs === undefined ? handle(job) : this.#within(timeoutMs, job, handle);
  }

  async #within(timeoutMs, job, handle) {
    let timer;
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => {
        const error = new DOMException(`the handler of ${job.handlerType} did not end within ${timeoutMs} ms`, "TimeoutError");
        this.#options.log(`job ${job.id}: ${error.message}; its place is free`);
        reject(error);
        Job.abort(job, error);
      }, timeoutMs);
    });
    try {
      return await Promise.race([handle(job), tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #tellAll() {
    await turn(); // What ends at the same time shares a request.
    while (this.#results.length > 0) {
      const told = this.#nextResults();
      const counting = told.filter(({ one }) => !one.isLost);
      if (counting.length > 0) {
        await this.#finish(counting);
      }
      told.forEach(({ one }) => this.#inHand.forget(one));
      this.#wake();
    }
    this.#tellers -= 1;
    this.#wakeEnd();
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
        const answers = await this.#client.finish(this.name, results);
        this.#outage.ended(kTell);
        return answers;
      } catch (error) {
        if (!(error instanceof JobstrandError) || isOfWhatItSays(error)) {
          throw error;
        }
        if (!isWorthWaiting(error) || Date.now() > giveUp) {
          this.#outage.ended(kTell);
          this.#options.log(`what became of ${results.length} jobs cannot be told; they run again: ${error.message}`);
          return [];
        }
        this.#outage.began(kTell, error);
        await pause.after(error);
      }
    }
  }

  /** Prolongs locks each third of their time. In between it asks for those of jobs that take long: they may have been cancelled. */
  async #keepLocks(over) {
    const { lockMs } = this.#options;
    const look = Math.min(kLookMs, lockMs / 3);
    let prolonged = performance.now();
    let before = new Set();
    let canAsk = true;
    while (!over.aborted) {
      await sleep(look, null, { signal: over }).catch(() => {});
      const all = this.#inHand.all();
      if (performance.now() - prolonged >= lockMs / 3 - look / 2) {
        prolonged = performance.now();
        await this.#askInParts(all, (jobs) => this.#client.extend(this.name, jobs, lockMs));
      } else if (canAsk) {
        canAsk = await this.#lookAt(all, before);
      }
      before = new Set(all);
    }
  }

  /** Those that take long, and those that tell something. Resolves to false if an older service does not know how to be asked. */
  async #lookAt(all, before) {
    const news = {};
    for (const { job } of this.#canTell ? all : []) {
      const told = Job.takeNews(job);
      if (told !== undefined) {
        news[job.id] = told;
      }
    }
    const asked = all.filter((one) => before.has(one) || news[one.job.id] !== undefined);
    if (Object.keys(news).length === 0) {
      return this.#askInParts(asked, (jobs) => this.#client.held(this.name, jobs));
    }
    let isTold = false;
    this.#canTell = await this.#askInParts(asked, async (jobs) => {
      const refused = await this.#client.tell(this.name, jobs, news);
      isTold = true;
      return refused;
    });
    if (!isTold) {
      asked.filter(({ job }) => news[job.id] !== undefined).forEach(({ job }) => Job.notTold(job));
    }
    return true;
  }

  /** `ask` resolves to those of some jobs whose lock is lost. Resolves to false if the service, which is older, does not know that. */
  async #askInParts(all, ask) {
    if (all.length === 0) {
      this.#outage.ended(kKeep);
    }
    for (let start = 0; start < all.length; start += kJobsPerRequest) {
      const part = all.slice(start, start + kJobsPerRequest);
      try {
        const refused = new Set((await ask(part.map(({ job }) => job))).map(({ id }) => id));
        this.#outage.ended(kKeep);
        // Of one whose handler has ended the service may know already.
        part.filter((one) => refused.has(one.job.id) && this.#inHand.get(one.job.id) === one && this.#inHand.isToRun(one)).forEach((one) => this.#lose(one));
      } catch (error) {
        if (!(error instanceof JobstrandError)) {
          throw error;
        }
        if (error.status === 404) {
          return false;
        }
        this.#outage.began(kKeep, error);
      }
    }
    return true;
  }

  #lose(one) {
    this.#options.log(`the lock of job ${one.job.id} is lost`);
    this.#inHand.forget(one);
    this.#cancel(one);
    this.#wake();
  }

  #cancel(one) {
    if (one !== undefined) {
      one.isLost = true;
      this.#inHand.cancel(one);
      Job.abort(one.job, new JobstrandError(`the lock of job ${one.job.id} is lost`));
    }
  }

  /** They will not be run here; no attempt is used. */
  async #giveBack(some) {
    some.forEach((one) => this.#inHand.forget(one));
    if (some.length === 0) {
      return;
    }
    await this.#client.release(this.name, some.map(({ job }) => job)).catch((error) => {
      this.#options.log(`cannot give ${some.length} jobs back; they are free when their locks end: ${error.message}`);
    });
  }

  async #end() {
    clearInterval(this.#surplusTimer);
    await this.#giveBack(this.#inHand.unstarted());
    const over = new AbortController();
    const grace = sleep(this.#options.graceMs, "over", { signal: over.signal }).catch(() => {});
    if ((await Promise.race([this.#allTold(), grace])) === "over") {
      this.#options.log(`${this.#inHand.size} handlers do not end; their jobs run again when their locks are over`);
    }
    over.abort();
  }

  async #allTold() {
    while (this.#bug === null && this.#inHand.running + this.#tellers > 0) {
      await new Promise((resolve) => (this.#wakeEnd = resolve));
    }
  }
}

function isOfWhatItSays(error) {
  return error instanceof Refused && kOfWhatItSays.includes(error.status);
}
