// A job as the service tells it, and the columns that a list of them may have.
import type { JSX } from 'preact';
import { href } from '../core/router.js';
import { ExactNumber, formatJson, type Json } from '../core/json.js';
import { span } from '../core/time.js';
import { t } from '../strings.js';
import type { Column } from '../ui/table.js';
import { Badge, Time } from '../ui/parts.js';

export type JobPlace = 'executable' | 'timer' | 'suspended' | 'dead' | 'external' | 'done';

export interface Job {
  id: string;
  place: JobPlace;
  handlerType: string | null;
  payload?: Json;
  dueDate?: string | null;
  repeat?: string | null;
  retries?: number;
  retryCycle?: string | null;
  priority?: number;
  processInstanceId?: string | null;
  tenantId?: string | null;
  createTime?: string | null;
  lockOwner?: string | null;
  lockExpirationTime?: string | null;
  exceptionMessage?: string | null;
  exceptionDetails?: string | null;
  series?: string | null;
  attempts?: number;
  failedTime?: string | null;
  runningSince?: string | null;
  nobodyServes?: string | null;
  /** Of jobs that have ended. */
  ended?: string | null;
  node?: string | null;
  attempt?: number | null;
  message?: string | null;
  waited?: number | string | null;
  waitedMs?: number | null;
  duration?: number | string | null;
  durationMs?: number | null;
}

/** How long a run waited or took, in milliseconds. */
export function millisecondsOf(job: Job, what: 'waited' | 'duration'): number | undefined {
  const value = job[`${what}Ms`] ?? job[what];
  const number = typeof value === 'number' ? value : Number.parseFloat(String(value));
  return Number.isFinite(number) ? number : undefined;
}

/** `order.id` of a payload; what is not there is undefined. */
export function partOf(payload: Json | undefined, path: string): Json | undefined {
  let value = payload;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || value instanceof ExactNumber) {
      return undefined;
    }
    value = (value as Record<string, Json>)[name];
  }
  return value;
}

/** The paths of what stands in a payload: `order.id`. */
export function pathsIn(payload: Json | undefined, before = ''): string[] {
  if (payload === undefined || payload === null || typeof payload !== 'object' || payload instanceof ExactNumber) {
    return before ? [before] : [];
  }
  return Object.entries(payload)
    .filter(([name]) => !/[\s:<>()"\\.]/.test(name))
    .flatMap(([name, part]) => pathsIn(part, before ? `${before}.${name}` : name))
    .slice(0, 50);
}

const short = (value: Json | undefined): string => {
  const text = value === undefined ? '' : typeof value === 'string' ? value : formatJson(value).replace(/\s*\n\s*/g, ' ');
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
};

interface Field {
  key: string;
  head: string;
  /** What the service sorts by. */
  sort?: string;
  isNumber?: boolean;
  isMinor?: boolean;
  cell?: (job: Job) => JSX.Element | string | number;
}

const time = (key: keyof Job) => (job: Job): JSX.Element => <Time of={job[key] as string | null} />;
const words = (key: string) => (job: Job): string => short((job as unknown as Record<string, Json>)[key] ?? undefined);
const length = (what: 'waited' | 'duration') => (job: Job): string => {
  const ms = millisecondsOf(job, what);
  return ms === undefined ? t.none : span(ms);
};

const kFields: readonly Field[] = [
  { key: 'id', head: 'Id', sort: 'id', cell: (job) => <a class="word" href={href(['job', job.id])}>{job.id}</a> },
  { key: 'place', head: 'Place', cell: (job) => <Badge tone={job.place === 'dead' ? 'bad' : 'plain'}>{t.places[job.place]}</Badge> },
  { key: 'handlerType', head: 'Type', sort: 'type', cell: (job) => <span class="word">{job.handlerType}</span> },
  { key: 'dueDate', head: 'Due', sort: 'due', cell: time('dueDate') },
  { key: 'createTime', head: 'Created', sort: 'created', cell: time('createTime') },
  { key: 'failedTime', head: 'Died', sort: 'failed', cell: time('failedTime') },
  { key: 'ended', head: 'Ended', cell: time('ended') },
  { key: 'waited', head: 'Waited', isNumber: true, cell: length('waited') },
  { key: 'duration', head: 'Took', isNumber: true, cell: length('duration') },
  { key: 'attempt', head: 'Attempt', isNumber: true },
  { key: 'attempts', head: 'Failed', isNumber: true },
  { key: 'retries', head: 'Left', sort: 'retries', isNumber: true },
  { key: 'priority', head: 'Priority', sort: 'priority', isNumber: true },
  { key: 'tenantId', head: 'Tenant' },
  { key: 'processInstanceId', head: 'Instance' },
  { key: 'lockOwner', head: 'Held by' },
  { key: 'node', head: 'Node' },
  { key: 'lockExpirationTime', head: 'Held until', cell: time('lockExpirationTime') },
  { key: 'exceptionMessage', head: 'Message', cell: (job) => <span class="message">{short(job.exceptionMessage ?? '')}</span> },
  { key: 'message', head: 'Message', cell: (job) => <span class="message">{short(job.message ?? '')}</span> },
  { key: 'series', head: 'Series', cell: (job) => (job.series ? <a href={href(['series', job.series])}>{job.series}</a> : '') },
  { key: 'repeat', head: 'Repeats' },
  { key: 'retryCycle', head: 'Retry cycle' },
  { key: 'correlationId', head: 'Correlation id' },
  { key: 'processDefinitionId', head: 'Definition' },
  { key: 'rootProcessInstanceId', head: 'Root instance' },
  { key: 'executionId', head: 'Execution' },
  { key: 'elementId', head: 'Element' },
  { key: 'elementName', head: 'Name of the element' },
  { key: 'category', head: 'Category' },
  { key: 'uniqueKey', head: 'Unique key' },
  { key: 'exclusive', head: 'Exclusive' },
  { key: 'payload', head: 'Payload', cell: (job) => <code>{short(job.payload)}</code> },
];

const kOfDone = ['id', 'handlerType', 'tenantId', 'processInstanceId', 'ended', 'waited', 'duration', 'attempt', 'node', 'message'];
const kNotOfOthers = ['ended', 'waited', 'duration', 'attempt', 'node', 'message'];

/** The columns that jobs of a place may have. */
export const columnsOf = (place: string): { key: string; head: string }[] =>
  kFields.filter((field) => (place === 'done' ? kOfDone.includes(field.key) : !kNotOfOthers.includes(field.key)));

export const usualColumns: Record<string, readonly string[]> = {
  executable: ['id', 'handlerType', 'createTime', 'priority', 'tenantId', 'lockOwner'],
  timer: ['id', 'handlerType', 'dueDate', 'retries', 'series', 'exceptionMessage'],
  suspended: ['id', 'handlerType', 'createTime', 'processInstanceId', 'tenantId'],
  dead: ['id', 'handlerType', 'failedTime', 'attempts', 'exceptionMessage'],
  external: ['id', 'handlerType', 'createTime', 'lockOwner', 'lockExpirationTime', 'exceptionMessage'],
  all: ['id', 'place', 'handlerType', 'createTime', 'dueDate', 'exceptionMessage'],
  done: ['id', 'handlerType', 'ended', 'waited', 'duration', 'attempt', 'node', 'message'],
};

export interface Sorting {
  by: string;
  isDescending: boolean;
  onSort: (by: string) => void;
}

/** As the table wants them; `payload.order` is a part of the payload. */
export function columnsFor(keys: readonly string[], sorting?: Sorting): Column<Job>[] {
  return keys.map((key): Column<Job> => {
    const path = key.startsWith('payload.') ? key.slice('payload.'.length) : undefined;
    const field: Field = path !== undefined
      ? { key, head: key, cell: (job) => <code>{short(partOf(job.payload, path))}</code> }
      : (kFields.find((each) => each.key === key) ?? { key, head: key });
    const sort = field.sort;
    return {
      key,
      head: field.head,
      cell: field.cell ?? words(key),
      ...(field.isNumber ? { isNumber: true } : {}),
      ...(sorting && sort
        ? {
            onSort: () => sorting.onSort(sort),
            sorted: sorting.by === sort ? (sorting.isDescending ? 'descending' as const : 'ascending' as const) : undefined,
          }
        : {}),
    };
  });
}
