// All that is known of each handler type, from the places where it is told.
import { useMemo } from 'preact/hooks';
import type { TypeRate } from '../core/rates.js';
import { useOptional } from '../core/optional.js';
import { useList } from '../core/resource.js';
import { useNodes, useStats } from '../core/told.js';
import { useSoonList, type SoonList } from '../jobs/seldom.js';
import type { ApiError } from '../core/api.js';
import type { Limit } from './limit.js';

/** The jobs of a type in a place. */
interface Count {
  handlerType: string;
  place: string;
  jobs: number;
  runsLastMinute: number | null;
  failedLastMinute: number | null;
  locked: number;
  oldest: string | null;
  lockedBy: { lockOwner: string; jobs: number }[];
  lookedAt: number | null;
}

export interface Unserved {
  handlerType: string;
  needs?: string | null;
  jobs?: number;
}

export interface Kind {
  type: string;
  waiting: number;
  running: number;
  timers: number;
  suspended: number;
  dead: number;
  external: number;
  runsLastMinute: number;
  failedLastMinute: number;
  oldest: string | null;
  lockedBy: { lockOwner: string; jobs: number }[];
  isServed: boolean;
  unserved: Unserved | undefined;
  limit: Limit | undefined;
  rate: TypeRate | undefined;
}

const kNone: Omit<Kind, 'type'> = { waiting: 0, running: 0, timers: 0, suspended: 0, dead: 0, external: 0, runsLastMinute: 0, failedLastMinute: 0, oldest: null, lockedBy: [], isServed: false, unserved: undefined, limit: undefined, rate: undefined };

/** A type of which nothing is known. */
export const noneOf = (type: string): Kind => ({ ...kNone, type });

function add(kind: Kind, count: Count): void {
  const free = count.jobs - count.locked;
  kind.running += count.locked;
  kind.runsLastMinute += count.runsLastMinute ?? 0;
  kind.failedLastMinute += count.failedLastMinute ?? 0;
  kind.lockedBy = [...kind.lockedBy, ...count.lockedBy];
  switch (count.place) {
    case 'executable':
      kind.waiting += free;
      kind.oldest = count.oldest;
      break;
    case 'timer':
      kind.timers += count.jobs;
      break;
    case 'suspended':
      kind.suspended += count.jobs;
      break;
    case 'dead':
      kind.dead += count.jobs;
      break;
    default:
      kind.external += free;
      kind.oldest ??= count.oldest;
  }
}

/** Places that hold more than were counted. */
export const morePlaces = (counts: readonly Count[]): ReadonlySet<string> => new Set(counts.filter((each) => each.lookedAt).map((each) => each.place));

interface Kinds {
  kinds: readonly Kind[] | undefined;
  error: ApiError | undefined;
  hasRates: boolean;
  reload: () => void;
  counts: SoonList<Count>;
}

export function useKinds(): Kinds {
  const counts = useSoonList<Count>('types', {}, 4);
  const limits = useList<Limit>('limits');
  const { nodes } = useNodes();
  const rates = useOptional<TypeRate[]>('rates/types', { last: 'PT1H' }, 5);
  const { stats } = useStats();
  const kinds = useMemo(() => {
    if (!counts.data || !limits.data) {
      return undefined;
    }
    const found = new Map<string, Kind>();
    const of = (type: string): Kind => {
      const kind = found.get(type) ?? noneOf(type);
      found.set(type, kind);
      return kind;
    };
    for (const count of counts.data.items) {
      add(of(count.handlerType), count);
    }
    for (const limit of limits.data.items) {
      if (limit.limit.startsWith('type:') && limit.limit !== 'type:*') {
        of(limit.limit.slice('type:'.length)).limit = limit;
      }
    }
    for (const rate of rates.data ?? []) {
      of(rate.type ?? '').rate = rate;
    }
    for (const type of (nodes ?? []).filter((node) => node.state === 'running').flatMap((node) => node.handlerTypes)) {
      const kind = found.get(type);
      if (kind) {
        kind.isServed = true;
      }
    }
    for (const each of (stats?.unserved ?? []) as Unserved[]) {
      of(each.handlerType).unserved = each;
    }
    return [...found.values()].sort((a, b) => a.type.localeCompare(b.type));
  }, [counts.data, limits.data, nodes, rates.data, stats]);
  const reload = (): void => {
    limits.reload();
    counts.reload();
  };
  return { kinds, error: counts.error ?? limits.error, hasRates: rates.data !== undefined, reload, counts };
}
