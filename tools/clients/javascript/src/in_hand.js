import { Forecast, kAheadMs } from "./forecast.js";

/**
 * The jobs that a worker holds: each waits for a place, has it until its handler has ended, and is held until the service has
 * been told of it. A job is here what `add` was given, with `id` and `handlerType` in its `job`.
 */
export class JobsInHand {
  #places;
  #topics;
  #now;
  #held = new Map();
  #waiting = new Queue();
  #atWork = new Map();
  #forecast = new Forecast();
  #lastStart = 0;
  // Since #mark, #starts have been counted; #atOnce of them found a place free.
  #mark = 0;
  #starts = 0;
  #atOnce = 0;

  /** `now`: milliseconds of a clock that does not jump. */
  constructor(places, topics, now = () => performance.now()) {
    this.#places = places;
    this.#topics = topics;
    this.#now = now;
  }

  get size() {
    return this.#held.size;
  }

  get running() {
    return this.#atWork.size;
  }

  get waiting() {
    return this.#waiting.length;
  }

  all() {
    return [...this.#held.values()];
  }

  /** undefined: there is none with that id. */
  get(id) {
    return this.#held.get(id);
  }

  /** Whether its handler is to run yet, or runs. */
  isToRun(one) {
    return this.#atWork.has(one) || this.#waiting.has(one);
  }

  add(some) {
    const now = this.#now();
    this.#measure(now);
    this.#atOnce = Math.max(0, this.#places - this.#atWork.size);
    for (const one of some) {
      this.#held.set(one.job.id, one);
      this.#waiting.push(one, now);
    }
  }

  /** The next that is to run; it has a place now. undefined: none waits, or no place is free. */
  take() {
    if (this.#waiting.length === 0 || this.#atWork.size >= this.#places) {
      return undefined;
    }
    const one = this.#waiting.shift();
    this.#lastStart = this.#now();
    this.#atWork.set(one, this.#lastStart);
    this.#starts += 1;
    if (this.#waiting.length === 0) {
      this.#measure(this.#lastStart);
    }
    return one;
  }

  /** Its handler has ended, or its place is to be free all the same. */
  freePlaceOf(one) {
    const since = this.#atWork.get(one);
    if (this.#atWork.delete(one)) {
      this.#forecast.ended(one.job.handlerType, this.#now() - since);
    }
  }

  /** Nothing more is said of it. */
  forget(one) {
    if (this.#held.get(one.job.id) === one) {
      this.#held.delete(one.job.id);
    }
  }

  /** It is not to run, if it has not begun. */
  cancel(one) {
    if (!this.#atWork.has(one)) {
      this.#waiting.delete(one);
    }
  }

  /**
   * For further jobs: how many places are `free` that nothing waits for, and how many jobs of `quick` topics may wait beyond
   * that. While results cannot be told, no more work begins than as much again as may be held.
   */
  room() {
    const quick = this.#forecast.quick(this.#topics);
    const soon = quick.length > 0 ? this.#soon() : 0;
    const left = 2 * (this.#places + soon) - this.#held.size;
    const unused = this.#places - this.#atWork.size - this.#waiting.length;
    const free = Math.max(0, Math.min(unused, left));
    const ahead = soon + Math.min(0, unused);
    // Less than half of what may wait would make many small requests.
    const isWorth = ahead > 0 && 2 * ahead >= soon;
    return { free, ahead: isWorth ? Math.max(0, Math.min(ahead, left - free)) : 0, quick };
  }

  /** Takes back what waits and will not start soon after all, the last first: others may run it. */
  surplus() {
    const now = this.#now();
    if (this.#waiting.length === 0 || now - this.#waiting.oldest < kAheadMs) {
      return [];
    }
    if (now - this.#lastStart >= kAheadMs) {
      this.#atWork.forEach((since, one) => this.#forecast.takesAtLeast(one.job.handlerType, now - since));
    }
    return this.#waiting.cut(this.#soon());
  }

  /** Takes back what waits. */
  unstarted() {
    return this.#waiting.cut(0);
  }

  /** How many jobs may wait for a place. */
  #soon() {
    const longAgo = this.#now() - kAheadMs;
    const stuck = [...this.#atWork.values()].filter((since) => since < longAgo).length;
    return this.#forecast.starts(this.#places - stuck);
  }

  #measure(now) {
    if (this.#starts > this.#atOnce) {
      this.#forecast.drained(this.#starts - this.#atOnce, now - this.#mark);
    }
    this.#mark = now;
    this.#starts = 0;
    this.#atOnce = 0;
  }
}

/** Of jobs, with the time at which each came. */
class Queue {
  #entries = [];
  /** Of the first that is left. */
  #head = 0;

  get length() {
    return this.#entries.length - this.#head;
  }

  get oldest() {
    return this.#entries[this.#head].time;
  }

  has(one) {
    return this.#entries.some((entry, index) => entry.one === one && index >= this.#head);
  }

  push(one, time) {
    this.#entries.push({ one, time });
  }

  shift() {
    const { one } = this.#entries[this.#head];
    this.#head += 1;
    if (2 * this.#head >= this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return one;
  }

  delete(one) {
    this.#entries = this.#entries.slice(this.#head).filter((entry) => entry.one !== one);
    this.#head = 0;
  }

  /** Removes all but the first `kept`, and returns them. */
  cut(kept) {
    return this.#entries.splice(this.#head + kept).map(({ one }) => one);
  }
}
