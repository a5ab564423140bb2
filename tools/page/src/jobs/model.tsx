// A job as the service tells it, and the columns that a list of them may have.
import type { JSX } from 'preact';
import { href } from '../core/router.js';
import { ExactNumber, formatJson, type Json } from '../core/json.js';
import { span } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
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
  /** What the run that is under way has told of itself. */
  news?: { progress: number | null; note: string | null; told: string; lines: string[] };
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

/** Leads to the job; of those that wait, also by the question that its page answers. */
function Id(props: { job: Job }): JSX.Element {
  const { id, place, lockOwner } = props.job;
  const to = href(['job', id]);
  return (
    <>
      <a class="word" href={to}>
        {id}
      </a>
      {place !== 'dead' && place !== 'done' && !lockOwner && (
        <>
          {' '}
          <a class="quiet" href={to} aria-label={j.whyOf(id)}>
            {j.whyShort}
          </a>
        </>
      )}
    </>
  );
}

const kFields: readonly Field[] = ([
  { key: 'id', sort: 'id', cell: (job) => <Id job={job} /> },
  { key: 'place', cell: (job) => <Badge tone={job.place === 'dead' ? 'bad' : 'plain'}>{t.places[job.place]}</Badge> },
  { key: 'handlerType', sort: 'type', cell: (job) => <span class="word">{job.handlerType}</span> },
  { key: 'dueDate', sort: 'due', cell: time('dueDate') },
  { key: 'createTime', sort: 'created', cell: time('createTime') },
  { key: 'failedTime', sort: 'failed', cell: time('failedTime') },
  { key: 'ended', cell: time('ended') },
  { key: 'waited', isNumber: true, cell: length('waited') },
  { key: 'duration', isNumber: true, cell: length('duration') },
  { key: 'attempt', isNumber: true },
  { key: 'attempts', isNumber: true },
  { key: 'retries', sort: 'retries', isNumber: true },
  { key: 'priority', sort: 'priority', isNumber: true },
  { key: 'tenantId' },
  { key: 'processInstanceId' },
  { key: 'lockOwner' },
  { key: 'node' },
  { key: 'lockExpirationTime', cell: time('lockExpirationTime') },
  { key: 'exceptionMessage', cell: (job) => <span class="message">{short(job.exceptionMessage ?? '')}</span> },
  { key: 'message', cell: (job) => <span class="message">{short(job.message ?? '')}</span> },
  { key: 'series', cell: (job) => (job.series ? <a href={href(['series', job.series])}>{job.series}</a> : '') },
  { key: 'repeat' },
  { key: 'retryCycle' },
  { key: 'correlationId' },
  { key: 'processDefinitionId' },
  { key: 'rootProcessInstanceId' },
  { key: 'executionId' },
  { key: 'elementId' },
  { key: 'elementName' },
  { key: 'category' },
  { key: 'uniqueKey' },
  { key: 'exclusive' },
  { key: 'payload', cell: (job) => <code>{short(job.payload)}</code> },
] as readonly Omit<Field, 'head'>[]).map((field) => ({ ...field, head: j.fields[field.key] ?? field.key }));

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
