// What the service knows of values, for completion. It is asked once somebody types, and then seldom: some of these
// answers read all jobs.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, list } from '../core/api.js';
import { kSoon } from '../core/live.js';

const kFresh = 60_000;

interface Source {
  keys: readonly string[];
  ask: () => Promise<readonly (string | null | undefined)[]>;
}

interface Named {
  handlerType?: string | null;
  node?: string;
  tenantId?: string | null;
  key?: string;
  series?: string;
  handlerTypes?: readonly string[] | null;
}

const nodes = (): Promise<Named[]> => get<Named[]>('nodes');

const kSources: readonly Source[] = [
  { keys: ['type'], ask: async () => (await nodes()).flatMap((node) => node.handlerTypes ?? []) },
  { keys: ['type'], ask: async () => (await get<Named[]>('types', kSoon)).map((each) => each.handlerType) },
  { keys: ['lock-owner', 'node'], ask: async () => (await nodes()).map((node) => node.node) },
  // All tenants are not known without reading all jobs: those of some.
  ...['all', 'dead'].map((place) => ({
    keys: ['tenant'],
    ask: async () => (await list<Named>('jobs', { place, limit: 500, ...kSoon })).items.map((each) => each.tenantId),
  })),
  { keys: ['series'], ask: async () => (await get<Named[]>('series', { limit: 500 })).map((each) => each.key ?? each.series) },
];

const values = new Map<string, Set<string>>();
let asked = -kFresh;

async function learn(tell: () => void): Promise<void> {
  if (performance.now() - asked < kFresh) {
    return;
  }
  asked = performance.now();
  for (const source of kSources) {
    try {
      const found = await source.ask();
      for (const key of source.keys) {
        const all = values.get(key) ?? new Set<string>();
        found.forEach((each) => each && all.add(each));
        values.set(key, all);
      }
      tell();
    } catch (error) {
      // A token for some tenants may not ask all of this: then there is less to offer.
      if (!(error instanceof ApiError)) {
        throw error;
      }
    }
  }
}

/** The values of a key that are known by now. */
export function useKnown(isWanted: boolean): (key: string) => readonly string[] {
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (isWanted) {
      void learn(() => setTurn((n) => n + 1));
    }
  }, [isWanted]);
  return (key) => [...(values.get(key) ?? [])];
}
