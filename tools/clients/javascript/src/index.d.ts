import type { JobsApi, Nouns } from "./operations.js";

export type { DeadGroups, Instant, Texts } from "./operations.js";

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A job to be enqueued; what is left out is as the service says. docs/cli.md lists all fields. */
export interface NewJob {
  handlerType: string;
  payload?: Json;
  id?: string;
  /** An instant, milliseconds from now, or (over HTTP) any timer text. */
  dueDate?: Date | number | string;
  repeat?: string;
  retries?: number;
  retryCycle?: string;
  priority?: number;
  external?: boolean;
  exclusive?: boolean;
  processInstanceId?: string;
  processDefinitionId?: string;
  category?: string;
  tenantId?: string;
  correlationId?: string;
  traceparent?: string;
  uniqueKey?: string;
  uniqueForMs?: number;
  onDuplicate?: "reject" | "keep" | "replace";
}

export interface Enqueued {
  id: string;
  /** false: another job has its unique key and was kept; `id` is that of the other one. */
  isNew: boolean;
  /** The job that made room for it. */
  replaced: string | null;
}

/**
 * The engine of a job among the names of several whose databases are as one (`spreadOver`). `key`: its process instance id, else its
 * unique key, else the key of its series, else its id. Throws TypeError where there is no name.
 */
export declare function engineOf(key: string, names: readonly string[]): string;

/** What the service tells of each job. */
export interface JobFields<Payload = Json> {
  id: string;
  handlerType: string;
  payload: Payload;
  retries: number;
  attempts: number;
  priority: number;
  exclusive: boolean;
  correlationId: string | null;
  dueDate: string | null;
  repeat: string | null;
  retryCycle: string | null;
  processInstanceId: string | null;
  processDefinitionId: string | null;
  executionId: string | null;
  elementId: string | null;
  elementName: string | null;
  category: string | null;
  tenantId: string | null;
  uniqueKey: string | null;
  createTime: string | null;
  lockOwner: string | null;
  lockExpirationTime: string | null;
  exceptionMessage: string | null;
  traceparent: string | null;
}

/** A job as the service tells it, wherever it stands. */
export interface StoredJob extends JobFields {
  place: string;
  [field: string]: Json;
}

/** A job that a worker holds. */
export interface Job<Payload = any> extends JobFields<Payload> {
  revision: number;
  /** 1 at first. */
  attempt: number;
  /** Aborts when the lock is lost, because the job was cancelled, say, or when the time of the handler is over. */
  readonly signal: AbortSignal;
  /**
   * How much of the work is done, from 0 to 1, and what is being done. Whoever looks at the job, on the page for one, sees it
   * within about two seconds; each call replaces what the last one said. As often as you like: the service is told once a
   * second at most, for all jobs of the worker together.
   */
  progress(part: number, note?: string): void;
  /** Adds lines to those of the run, of which the last hundred are seen there too. They stand in the details of a failure. */
  log(text: string): void;
}

/** What a run tells of itself. */
export interface RunNews {
  progress?: number;
  note?: string;
  /** All that are to be shown, and not only new ones. */
  lines?: string[];
}

export interface JobResult {
  id: string;
  revision?: number;
  outcome?: "complete" | "fail" | "error";
  variables?: { [name: string]: Json };
  errorCode?: string;
  message?: string;
  details?: string;
  retries?: number;
  retryAfter?: string;
}

export interface RefusedResult {
  id: string;
  answer: "not held" | "not found" | "refused";
  /** Of a result that cannot be meant so (`refused`): what is wrong with it. */
  why?: string;
}

/** Something that the service tells while it happens. */
export interface Event {
  name: string;
  data: { [name: string]: any };
}

export interface Client extends Omit<Nouns, "jobs"> {}
export class Client {
  constructor(url: string | URL, options?: { token?: string; timeoutMs?: number; retries?: number });
  /** `client.jobs(...)` is `client.jobs.list(...)`. */
  readonly jobs: JobsApi & JobsApi["list"];
  readonly address: string;
  enqueue(job: NewJob): Promise<Enqueued>;
  enqueueAll(jobs: NewJob[]): Promise<string[]>;
  job(id: string): Promise<StoredJob | null>;
  events(): AsyncGenerator<Event, void, undefined>;
  stats(): Promise<{ places: { [place: string]: number } }>;
  requeue(ids: string[], retries?: number): Promise<{ id: string; answer: string }[]>;
  wake(): Promise<void>;
  acquire(
    worker: string,
    topics: string[],
    options?: { jobs?: number; lockMs?: number; waitMs?: number; tenantId?: string },
  ): Promise<(StoredJob & { revision: number })[]>;
  finish(worker: string, results: JobResult[]): Promise<RefusedResult[]>;
  extend(worker: string, jobs: { id: string; revision: number }[], lockMs: number): Promise<RefusedResult[]>;
  held(worker: string, jobs: { id: string; revision: number }[]): Promise<RefusedResult[]>;
  tell(worker: string, jobs: { id: string; revision: number }[], news: { [id: string]: RunNews }): Promise<RefusedResult[]>;
  release(worker: string, jobs: { id: string; revision: number }[]): Promise<void>;
}

export interface WorkerOptions {
  name?: string;
  token?: string;
  /** How many jobs run at a time. Beyond these are fetched what starts within about 50 ms by the measure of the last runs. */
  concurrency?: number;
  lockMs?: number;
  waitMs?: number;
  graceMs?: number;
  tenantId?: string;
  /** Whether SIGTERM and SIGINT stop it; true if not said. */
  signals?: boolean;
  log?: (message: string) => void;
}

/** Whatever it returns, or resolves to, its job is done; Variables are handed on to the app. */
export type Handler<Payload = any> = (job: Job<Payload>) => unknown;

/** Returned by a handler: the job is done, and these are handed on to the app. */
export class Variables {
  readonly variables: { [name: string]: Json };
  constructor(variables: { [name: string]: Json });
}

export class Worker {
  readonly name: string;
  constructor(client: Client | string, options?: WorkerOptions);
  handler<Payload = any>(topic: string, handle: Handler<Payload>, options?: { timeoutMs?: number; weight?: number }): this;
  run(): Promise<void>;
  stop(): void;
}

export type Database = "sqlite" | "mysql" | "postgresql";

/** On a connection of pg, postgres, mysql2, better-sqlite3 or node:sqlite, or a transaction of Knex. */
export function enqueue(connection: object, job: NewJob): Promise<string>;

/** `query` returns the driver's promise, or (SQLite) what the `run` or `all` of a synchronous driver does. */
export function enqueueBy(
  database: Database,
  query: (sql: string, values: unknown[]) => PromiseLike<unknown> | { changes: number | bigint } | unknown[],
  job: NewJob,
): Promise<string>;

export interface Statement {
  sql: string;
  values: unknown[];
}

/** `atLast` runs after the others, also when one of them has failed. */
export function insertionOf(database: Database, job: NewJob): { id: string; statements: Statement[]; atLast: Statement[] };

export class JobstrandError extends Error {}
export class KeyHeld extends JobstrandError {}
export class Unreachable extends JobstrandError {}
export class Refused extends JobstrandError {
  readonly status: number;
  readonly detail: string;
  readonly errors: string[];
  readonly retryAfterMs?: number;
}
export class Invalid extends Refused {}
export class NotAllowed extends Refused {}
export class NotFound extends Refused {}
export class Conflict extends Refused {}
export class Overloaded extends Refused {}
export class Fail extends Error {
  constructor(message: string, options?: { retryAfterMs?: number; retries?: number; details?: string; cause?: unknown });
}
export class BusinessError extends Error {
  constructor(code: string, message?: string, variables?: { [name: string]: Json });
}
