/** A job that a worker holds: what the service tells of it, and how the handler hears that it is to end. */
export class Job {
  /** Made when it is asked for: of most jobs nobody does. */
  #end;

  constructor(raw) {
    Object.assign(this, raw);
    this.attempt = raw.attempts + 1;
  }

  get signal() {
    return (this.#end ??= new AbortController()).signal;
  }

  static abort(job, reason) {
    (job.#end ??= new AbortController()).abort(reason);
  }
}
