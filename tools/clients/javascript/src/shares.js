/** How the places of a worker are shared out among its topics: in the long run each has the share that its weight is of all. */
export class Shares {
  #topics;
  #sum;

  /** `weights`: of each topic, as `[topic, weight]`. */
  constructor(weights) {
    this.#topics = weights.map(([topic, weight]) => ({ topic, weight, credit: 0 }));
    this.#sum = weights.reduce((sum, [, weight]) => sum + weight, 0);
  }

  /** How many of the places each topic gets, as `[topic, count]`; one without any is left out. */
  of(places) {
    const shares = new Map();
    for (let place = 0; place < places; place += 1) {
      this.#topics.forEach((one) => (one.credit += one.weight));
      const chosen = this.#topics.reduce((most, one) => (one.credit > most.credit ? one : most));
      chosen.credit -= this.#sum;
      shares.set(chosen.topic, (shares.get(chosen.topic) ?? 0) + 1);
    }
    return [...shares];
  }
}
