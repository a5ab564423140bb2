import { Refused, Unreachable } from "./errors.js";
import { refuseOthers } from "./names.js";
import { Encoded, durationText, jobToJson } from "./texts.js";

/** The service over HTTP. Throws Unreachable when no answer came, and Refused when it was no. */
export class Client {
  #url;
  #token;
  #timeoutMs;

  /** `url`: of the service, such as http://127.0.0.1:8080. */
  constructor(url, options = {}) {
    refuseOthers("Client", options, ["token", "timeoutMs"]);
    const { token, timeoutMs = 30_000 } = options;
    this.#url = String(url).replace(/\/+$/, "");
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  /** Of the service. (What is secret cannot stand in its URL: fetch() refuses that.) */
  get address() {
    return this.#url;
  }

  /**
   * Adds a job; when this resolves it is committed. When no answer came, nobody knows whether it was added: give a job
   * that must not be doubled an id or a unique key, and ask again.
   */
  async enqueue(job) {
    const answer = await this.#ask("POST", "/api/v1/jobs", jobToJson(job));
    return { id: answer.id, isNew: answer.isNew ?? true, replaced: answer.replacedJob ?? null };
  }

  /** Adds up to 10,000 jobs, or none of them. Resolves to their ids, in order. */
  async enqueueAll(jobs) {
    return (await this.#ask("POST", "/api/v1/jobs", jobs.map(jobToJson))).ids;
  }

  /** A job wherever it stands; null: there is none, or it has run. */
  async job(id) {
    try {
      return await this.#ask("GET", `/api/v1/jobs/${encodeURIComponent(id)}`);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) {
        return null;
      }
      throw error;
    }
  }

  /** Jobs of a place, page by page: `for await (const job of client.jobs({ place: "timer", type: "mail" }))`. */
  async *jobs(filters = {}) {
    const query = new URLSearchParams(filters);
    for (;;) {
      const page = await this.#ask("GET", `/api/v1/jobs?${query}`);
      yield* page.items;
      if (page.after === null) {
        return;
      }
      query.set("after", page.after);
    }
  }

  async stats() {
    return this.#ask("GET", "/api/v1/stats");
  }

  /** Gives dead letters new attempts. What became of each. */
  async requeue(ids, retries = undefined) {
    return (await this.#ask("POST", "/api/v1/dead/requeue", { ids, retries })).items;
  }

  /** The node looks for jobs now. */
  async wake() {
    await this.#ask("POST", "/api/v1/wake");
  }

  /** Locks jobs for a worker, which does this for you. `waitMs`: how long to wait for one, at most a minute. */
  async acquire(worker, topics, { jobs = 1, lockMs = 300_000, waitMs = 0, tenantId } = {}) {
    const order = { worker, topics, jobs, lockDuration: durationText(lockMs), wait: durationText(waitMs), tenantId };
    return (await this.#ask("POST", "/api/v1/external-jobs/acquire", order, waitMs)).items;
  }

  /** Tells what became of up to 10,000 jobs. Resolves to those for which it does not count. */
  async finish(worker, results) {
    const body = new Encoded(`{"worker":${JSON.stringify(worker)},"results":[${results.map(textOf).join(",")}]}`);
    return (await this.#ask("POST", "/api/v1/external-jobs/finish", body)).refused;
  }

  /** Prolongs locks. Resolves to those that are lost. */
  async extend(worker, jobs, lockMs) {
    const body = { worker, jobs: held(jobs), lockDuration: durationText(lockMs) };
    return (await this.#ask("POST", "/api/v1/external-jobs/extend", body)).refused;
  }

  /** Resolves to those of the jobs that the worker does not hold any more. Changes nothing. */
  async held(worker, jobs) {
    return (await this.#ask("POST", "/api/v1/external-jobs/held", { worker, jobs: held(jobs) })).refused;
  }

  /** Gives jobs back; no attempt is used. */
  async release(worker, jobs) {
    await this.#ask("POST", "/api/v1/external-jobs/release", { worker, jobs: held(jobs) });
  }

  async #ask(method, path, body = undefined, moreMs = 0) {
    const headers = { Accept: "application/json" };
    if (this.#token !== undefined) {
      headers.Authorization = `Bearer ${this.#token}`;
    }
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const written = body === undefined ? undefined : textOf(body);
    let response;
    let text;
    try {
      response = await fetch(this.#url + path, {
        method,
        headers,
        body: written,
        redirect: "error",
        signal: AbortSignal.timeout(this.#timeoutMs + moreMs),
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(`no answer from ${this.#url}: ${error.cause?.message ?? error.message}`, { cause: error });
    }
    if (response.status >= 400) {
      throw refusal(response, text);
    }
    return text ? JSON.parse(text) : null;
  }
}

function textOf(value) {
  return value instanceof Encoded ? value.text : JSON.stringify(value);
}

function held(jobs) {
  return jobs.map(({ id, revision }) => ({ id, revision }));
}

function refusal(response, text) {
  const wait = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const retryAfterMs = Number.isNaN(wait) ? undefined : wait * 1000;
  try {
    const { detail, errors } = JSON.parse(text);
    return new Refused(response.status, String(detail), errors, retryAfterMs);
  } catch {
    return new Refused(response.status, `HTTP ${response.status}`, [], retryAfterMs);
  }
}
