/** What is said while the service is away: a line when that begins, and one when it is over, however much is tried meanwhile. */
export class Outage {
  #failing = new Set();
  #since = 0;
  #log;

  constructor(log) {
    this.#log = log;
  }

  /** This cannot be done, and is tried again. */
  began(what, error) {
    if (this.#failing.size === 0) {
      this.#since = Date.now();
      this.#log(`cannot ${what}: ${error.message}; trying again until the service answers`);
    }
    this.#failing.add(what);
  }

  /** This could be done, or is not tried any more. */
  ended(what) {
    if (this.#failing.delete(what) && this.#failing.size === 0) {
      this.#log(`the service answers again, after ${Math.round((Date.now() - this.#since) / 1000)} s`);
    }
  }
}
