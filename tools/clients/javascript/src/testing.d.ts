import type { Job, NewJob, Worker } from "./index.js";

/** A run of a handler. */
export interface Ran {
  job: Job;
  returned?: unknown;
  error?: unknown;
}

/** For the tests of an app: what it enqueues is kept instead, and its handlers run here, on a clock that the test moves. */
export class Recorder {
  constructor(options?: { now?: Date });
  now: Date;
  /** All, in order, whatever became of them. */
  readonly enqueued: (NewJob & { id: string })[];
  /** Those that have not run, in the order in which they are due. */
  readonly waiting: (NewJob & { id: string })[];
  /** Those whose last attempt has failed. */
  readonly dead: (NewJob & { id: string })[];
  advance(ms: number): void;
  /** What is due and what that enqueues. `raises`: true if not said. */
  run(worker: Worker, options?: { raises?: boolean }): Promise<Ran[]>;
  end(): void;
}
