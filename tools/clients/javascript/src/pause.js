import { setTimeout as sleep } from "node:timers/promises";

const kLongestMs = 5000;

/** Waits after failures: ever longer, up to five seconds, and never of all workers at the same time. */
export class Pause {
  #nextMs = 100;

  /** As long as the service says, if it does; less when `signal` aborts. */
  async after(error, signal = undefined) {
    const ms = error.retryAfterMs ?? this.#nextMs;
    this.#nextMs = Math.min(2 * this.#nextMs, kLongestMs);
    await sleep(ms * (0.8 + 0.4 * Math.random()), null, { signal }).catch(() => {});
  }

  reset() {
    this.#nextMs = 100;
  }
}
