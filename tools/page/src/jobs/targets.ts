// Which jobs a deed is about: those that were chosen one by one, or all that match. Both are counted before.
import { ApiError, list, pathOf, type Page, type Query } from '../core/api.js';
import { kSoon } from '../core/live.js';
import { j } from '../strings/jobs.js';
import { flagsOf } from './command.js';
import type { Job } from './model.js';
import type { Asked } from './search.js';

export interface Targets {
  place: string;
  /** Chosen one by one; those of them that were seen. */
  jobs?: readonly Job[];
  /** All that match. */
  asked?: Asked;
  /** All of a cause that match. */
  group?: { id: string; jobs: number; handlerType: string | null };
}

/** What a deed's body says of them; `place` only where the deed knows places. */
export function bodyOf(targets: Targets, withPlace: boolean): Record<string, unknown> {
  if (targets.jobs) {
    return { ids: targets.jobs.map((job) => job.id) };
  }
  const body: Record<string, unknown> = targets.group ? { group: targets.group.id } : withPlace ? { place: targets.place } : {};
  for (const [name, values] of Object.entries(targets.asked ?? {})) {
    if (name === 'with-exception') {
      body[values[0] === 'true' ? 'withException' : 'withoutException'] = true;
    } else if (name === 'locked' || name === 'free') {
      body[name] = true;
    } else {
      body[name.replace(/-./g, (letter) => letter[1]?.toUpperCase() ?? '')] = values;
    }
  }
  if (!targets.group && Object.keys(targets.asked ?? {}).length === 0) {
    body['all'] = true;
  }
  body['yes'] = true;
  return body;
}

export interface Counted {
  ids: string[];
  byType: Map<string, number>;
  total: number;
  isDone: boolean;
}

const kPage = 5000;

/** Counts them page by page, and tells after each. */
export async function count(targets: Targets, tell: (counted: Counted) => void, signal: AbortSignal): Promise<void> {
  const counted: Counted = { ids: [], byType: new Map(), total: 0, isDone: false };
  const take = (jobs: readonly Job[]): void => {
    for (const job of jobs) {
      counted.ids.push(job.id);
      counted.byType.set(job.handlerType ?? '', (counted.byType.get(job.handlerType ?? '') ?? 0) + 1);
    }
    counted.total += jobs.length;
  };
  if (targets.group) {
    counted.byType.set(targets.group.handlerType ?? '', targets.group.jobs);
    counted.total = targets.group.jobs;
  } else if (targets.jobs) {
    take(targets.jobs);
  } else {
    // A page of few jobs comes soon too, so that who waits sees how far it is.
    const query: Query = { place: targets.place, ...targets.asked, limit: kPage, ...kSoon };
    for (let after: string | null = ''; after !== null; ) {
      const page: Page<Job> = await list<Job>('jobs', { ...query, after }, signal ? { signal } : {});
      take(page.items);
      after = page.after;
      tell({ ...counted });
    }
  }
  tell({ ...counted, isDone: true });
}

const kVerb = 'application/vnd.jobstrand.verb+json';

/** What `jobstrand dead export` writes: all that brings them back. */
async function exported(words: readonly string[]): Promise<string> {
  const response = await fetch(pathOf('verbs/dead/export'), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json', Accept: kVerb },
    body: JSON.stringify({ arguments: words }),
  });
  const answer = (await response.json()) as { exitCode?: number; output?: string; errors?: string; detail?: string };
  if (!response.ok || answer.exitCode !== 0) {
    throw new ApiError(response.status, answer.detail ?? (typeof answer.errors === 'string' && answer.errors !== '' ? answer.errors : response.statusText));
  }
  return answer.output ?? '';
}

const kExportPage = 2000;

/** Saves them as JSON lines; gives how many. Dead letters come as `dead import` takes them. */
export async function download(targets: Targets, counted: Counted): Promise<number> {
  const parts: string[] = [];
  if (targets.place !== 'dead') {
    for (let at = 0; at < counted.ids.length; at += 50) {
      const some = counted.ids.slice(at, at + 50).map(async (id) => {
        const response = await fetch(pathOf(`jobs/${encodeURIComponent(id)}`), { credentials: 'same-origin' });
        return response.ok ? `${await response.text()}\n`.replace(/\n+$/, '\n') : '';
      });
      parts.push(...(await Promise.all(some)));
    }
  } else if (targets.group) {
    parts.push(await exported(['--group', targets.group.id, ...flagsOf(targets.asked ?? {})]));
  } else {
    for (let at = 0; at < counted.ids.length; at += kExportPage) {
      parts.push(await exported(['--', ...counted.ids.slice(at, at + kExportPage)]));
    }
  }
  save(parts);
  return parts.reduce((sum, part) => sum + part.split('\n').filter(Boolean).length, 0);
}

function save(parts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' }));
  link.download = `jobs-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface Answers {
  items?: { id: string; answer: string; why: string | null }[];
  batch?: string;
  total?: number;
  [count: string]: unknown;
}

/** What came of a deed, in words. Where nothing came of it, an ApiError says why. */
export function told(answer: unknown, done: string): string {
  const answers: Answers = Array.isArray(answer) ? { items: answer as NonNullable<Answers['items']> } : ((answer ?? {}) as Answers);
  if (answers.batch) {
    return j.batch(answers.batch, answers.total ?? 0);
  }
  const items = answers.items ?? [];
  const counts = new Map<string, number>();
  for (const item of items) {
    counts.set(item.answer, (counts.get(item.answer) ?? 0) + 1);
  }
  for (const [name, n] of Object.entries(answers)) {
    if (typeof n === 'number' && (n > 0 || name === done)) {
      counts.set(name, n);
    }
  }
  const whys = [...new Set(items.map((item) => item.why).filter(Boolean))].slice(0, 3).join('; ');
  const parts = [...counts].map(([name, n], i) => (i === 0 ? j.told(name, n) : `${n} ${name}`)).join(', ');
  const text = whys ? `${parts}: ${whys}` : parts;
  if (items.length > 0 && items.every((item) => item.why)) {
    throw new ApiError(409, text);
  }
  return text;
}
