/** What counts as soon. */
export const kAheadMs = 50;

/** So many jobs wait at most, however short they are. */
const kMostAhead = 2000;

/** The part that the last run has in a mean: after a change of work, a few dozen runs tell. */
const kPartOfLast = 1 / 16;

/** Below this no clock can be trusted, in milliseconds. */
const kLeastMs = 0.001;

/**
 * How many jobs the places of a worker start soon, from how long the last runs of each topic have taken, and how fast waiting
 * jobs were started. Pure.
 *
 * A topic of which no run has ended is slow: who held more of it than it runs would keep jobs from workers that are idle.
 */
export class Forecast {
  #means = new Map();
  /** Of the runs of quick topics. */
  #mean;
  /** Of starts, per millisecond, while jobs waited. */
  #rate;

  ended(topic, ms) {
    const before = this.#means.get(topic) ?? ms;
    const mean = before + (ms - before) * kPartOfLast;
    this.#means.set(topic, mean);
    if (mean <= kAheadMs) {
      this.#mean ??= mean;
      this.#mean += (ms - this.#mean) * kPartOfLast;
    }
  }

  /** A run that goes on has taken that long already. */
  takesAtLeast(topic, ms) {
    this.#means.set(topic, Math.max(this.#means.get(topic) ?? 0, ms));
  }

  /** While jobs waited for a place, so many were started. */
  drained(starts, ms) {
    const rate = starts / Math.max(ms, kLeastMs);
    this.#rate = this.#rate === undefined ? rate : (this.#rate + rate) / 2;
  }

  /** Those that are worth fetching before a place is free. */
  quick(topics) {
    return topics.filter((topic) => (this.#means.get(topic) ?? Infinity) <= kAheadMs);
  }

  /** How many jobs of quick topics so many places start soon. */
  starts(places) {
    if (this.#mean === undefined) {
      return 0;
    }
    const byRuns = (places * kAheadMs) / Math.max(this.#mean, kLeastMs);
    const byRate = this.#rate === undefined ? 4 * places : this.#rate * kAheadMs;
    return Math.floor(Math.min(byRuns, byRate, kMostAhead));
  }
}
