import { randomUUID } from "node:crypto";

import { nounsOf } from "./calls.js";
import { JobstrandError, NotFound, Unreachable, isWorthWaiting, refusedOf } from "./errors.js";
import { refuseOthers } from "./names.js";
import { Pause } from "./pause.js";
import { recording } from "./recording.js";
import { Encoded, durationText, jobToJson } from "./texts.js";

/** Events that keep away longer than that have ended: a comment comes each 15 s. */
const kMostSilentMs = 45_000;

/**
 * All of the service: `client.dead.requeue(undefined, { type: "mail", probe: true, background: true })`,
 * `client.jobs.get(id)`. Lists are asynchronous iterators over all their pages, and what is deleted or changed is
 * not asked about again. Throws Unreachable when no answer came, and Refused (NotFound, Conflict, Invalid, NotAllowed,
 * Overloaded) when it was no.
 */
export class Client {
  #url;
  #token;
  #timeoutMs;

  #retries;

  /**
   * `url`: of the service, such as http://127.0.0.1:8080. `retries`: how often is asked again, after a short wait, what can
   * be asked twice: what reads, and enqueueing.
   */
  constructor(url, options = {}) {
    refuseOthers("Client", options, ["retries", "timeoutMs", "token"]);
    const { token, timeoutMs = 30_000, retries = 2 } = options;
    this.#url = String(url).replace(/\/+$/, "");
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    const ask = (method, path, body) => (method === "GET" || method === "PUT" ? this.#again(() => this.#ask(method, path, body)) : this.#ask(method, path, body));
    const { jobs, ...nouns } = nounsOf(ask, (path) => this.#items(path));
    // `client.jobs(...)` is `client.jobs.list(...)`.
    Object.assign(this, nouns, { jobs: Object.assign((filters) => jobs.list(filters), jobs) });
  }

  /** Of the service. (What is secret cannot stand in its URL: fetch() refuses that.) */
  get address() {
    return this.#url;
  }

  /**
   * Adds a job; when this resolves it is committed. It is asked again when no answer comes, with an Idempotency-Key, so that
   * the job is not doubled. When that is in vain, nobody knows whether it was added: give a job that must not be doubled an id
   * or a unique key.
   */
  async enqueue(job) {
    if (recording.record !== undefined) {
      return recording.record(job);
    }
    const answer = await this.#add(jobToJson(job));
    return { id: answer.id, isNew: answer.isNew ?? true, replaced: answer.replacedJob ?? null };
  }

  /** Adds up to 10,000 jobs, or none of them. Resolves to their ids, in order. */
  async enqueueAll(jobs) {
    if (recording.record !== undefined) {
      return jobs.map((job) => recording.record(job).id);
    }
    return (await this.#add(jobs.map(jobToJson))).ids;
  }

  #add(body) {
    const headers = { "Idempotency-Key": randomUUID() };
    return this.#again(() => this.#ask("POST", "/api/v1/jobs", body, { headers }));
  }

  /** A job wherever it stands; null: there is none, or it has run. */
  async job(id) {
    try {
      return await this.jobs.get(id);
    } catch (error) {
      if (error instanceof NotFound) {
        return null;
      }
      throw error;
    }
  }

  /** How many jobs there are of each place, and what of them nobody serves. */
  async stats() {
    return this.#again(() => this.#ask("GET", "/api/v1/stats"));
  }

  /** What changes, as it changes, first as it is; each has the whole, as `{ name, data }`. Throws Unreachable when the service hangs up. */
  async *events() {
    const end = new AbortController();
    let timer = setTimeout(() => end.abort(), kMostSilentMs);
    try {
      const response = await fetch(`${this.#url}/api/v1/events`, { headers: { ...this.#identity(), Accept: "text/event-stream" }, signal: end.signal });
      if (response.status >= 400) {
        throw refusal(response, await response.text());
      }
      let text = "";
      const decoder = new TextDecoder();
      for await (const bytes of response.body) {
        timer.refresh();
        const parts = (text + decoder.decode(bytes, { stream: true })).split("\n\n");
        text = parts.pop();
        yield* parts.map(eventOf).filter((event) => event !== undefined);
      }
      throw new Unreachable(`${this.#url} has ended the stream of events`);
    } catch (error) {
      throw error instanceof JobstrandError ? error : new Unreachable(`no answer from ${this.#url}: ${error.cause?.message ?? error.message}`, { cause: error });
    } finally {
      clearTimeout(timer);
      end.abort();
    }
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
    return (await this.#ask("POST", "/api/v1/external-jobs/acquire", order, { moreMs: waitMs })).items;
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

  /** The same, and tells how far those are of which there are news, by their ids: `{ progress, note, lines }`. */
  async tell(worker, jobs, news) {
    const told = held(jobs).map((one) => ({ ...one, ...news[one.id] }));
    return (await this.#ask("POST", "/api/v1/external-jobs/progress", { worker, jobs: told })).refused;
  }

  /** Gives jobs back; no attempt is used. */
  async release(worker, jobs) {
    await this.#ask("POST", "/api/v1/external-jobs/release", { worker, jobs: held(jobs) });
  }

  async *#items(first) {
    for (let path = first; path !== undefined; ) {
      const url = path;
      const [answer, link] = await this.#again(() => this.#answer("GET", url));
      yield* answer.items ?? answer;
      path = nextPage(url, answer, link);
    }
  }

  /** What can be asked twice. */
  async #again(ask) {
    const pause = new Pause();
    for (let left = this.#retries; ; left -= 1) {
      try {
        return await ask();
      } catch (error) {
        if (left <= 0 || !isWorthWaiting(error)) {
          throw error;
        }
        await pause.after(error);
      }
    }
  }

  #identity() {
    return this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  async #ask(...question) {
    return (await this.#answer(...question))[0];
  }

  /** And the header that leads to the next page. */
  async #answer(method, path, body = undefined, { moreMs = 0, headers: more = {} } = {}) {
    const headers = { Accept: "application/json", ...this.#identity(), ...more };
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
    return [text ? JSON.parse(text) : null, response.headers.get("Link")];
  }
}

/** undefined: it was the last. The service tells it in its answer, or in the header Link. */
function nextPage(path, answer, link) {
  if (link !== null) {
    return link.slice(1, link.indexOf(">"));
  }
  if (answer.after === undefined || answer.after === null) {
    return undefined;
  }
  const [start, query] = path.split("?");
  const next = new URLSearchParams(query);
  next.set("after", answer.after);
  return `${start}?${next}`;
}

/** undefined: it is a comment, or how long to wait. */
function eventOf(text) {
  const field = (name) => text.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return data === undefined ? undefined : { name: field("event"), data: JSON.parse(data) };
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
    return refusedOf(response.status, String(detail), errors, retryAfterMs);
  } catch {
    return refusedOf(response.status, `HTTP ${response.status}`, [], retryAfterMs);
  }
}
