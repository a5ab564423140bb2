import { sayable } from "./texts.js";

/** Lines that are kept: the last ones, and of each its first characters. */
const kMostLines = 100;
const kMostCharacters = 1000;

/** Of all that are told together. */
const kMostOfAll = 8000;

/** A job that a worker holds: what the service tells of it, and how the handler hears that it is to end. */
export class Job {
  /** Made when it is asked for: of most jobs nobody does. */
  #end;
  /** Likewise. */
  #news;

  constructor(raw) {
    Object.assign(this, raw);
    this.attempt = raw.attempts + 1;
  }

  get signal() {
    return (this.#end ??= new AbortController()).signal;
  }

  progress(part, note = "") {
    const news = this.#told();
    news.progress = Math.min(1, Math.max(0, Number(part) || 0));
    news.note = storable(note).slice(0, 255);
  }

  log(text) {
    const news = this.#told();
    news.lines.push(...storable(text).replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.slice(0, kMostCharacters)));
    news.lines.splice(0, news.lines.length - kMostLines);
  }

  /** The lines of the run, of all that were told the last ones. */
  static linesOf(job) {
    let room = kMostOfAll;
    const lines = job.#news?.lines ?? [];
    const first = lines.findLastIndex((line) => (room -= Buffer.byteLength(line) + 1) < 0);
    return lines.slice(first + 1);
  }

  /** What is to be told, as the service wants it; undefined: nothing has been said since it was taken last. */
  static takeNews(job) {
    if (!job.#news?.isFresh) {
      return undefined;
    }
    job.#news.isFresh = false;
    const { progress, note } = job.#news;
    return { progress, note, lines: Job.linesOf(job) };
  }

  /** What was taken last is to be taken again. */
  static notTold(job) {
    job.#news.isFresh = true;
  }

  #told() {
    this.#news ??= { note: "", lines: [] };
    this.#news.isFresh = true;
    return this.#news;
  }

  static abort(job, reason) {
    (job.#end ??= new AbortController()).abort(reason);
  }
}

/** Databases do not store NUL. */
function storable(text) {
  return sayable(String(text)).replaceAll("\0", "\ufffd");
}
