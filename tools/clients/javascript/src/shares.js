/** How the places of a worker are shared out among its topics: in the long run each has the share that its weight is of all. */
export class Shares {
  #topics;
  #sum;

  /** `weights`: of each topic, as `[topic, weight]`. */
  constructor(weights) {
    this.#topics = weights.map(([topic, weight]) => ({ topic, weight, credit: 0 }));
    this.#sum = weights.reduce((sum, [, weight]) => sum + weight, 0);
  }

  /** The topic of each place, in the order in which they are to be filled. */
  of(places) {
    return Array.from({ length: places }, () => {
      this.#topics.forEach((one) => (one.credit += one.weight));
      const chosen = this.#topics.reduce((most, one) => (one.credit > most.credit ? one : most));
      chosen.credit -= this.#sum;
      return chosen.topic;
    });
  }
}
