// What the service knows of values, for completion. It is asked once somebody types, and then seldom: some of these
// answers read all jobs.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, send } from '../core/api.js';

const kFresh = 60_000;

interface Source {
  keys: readonly string[];
  ask: () => Promise<readonly (string | null | undefined)[]>;
}

interface Named {
  handlerType?: string | null;
  node?: string;
  id?: string;
  key?: string;
  series?: string;
  handlerTypes?: readonly string[] | null;
}

const nodes = (): Promise<Named[]> => get<Named[]>('nodes');

const kSources: readonly Source[] = [
  { keys: ['type'], ask: async () => (await nodes()).flatMap((node) => node.handlerTypes ?? []) },
  { keys: ['type'], ask: async () => (await send<Named[]>('POST', 'verbs/stats', { arguments: ['--by-type'] })).map((each) => each.handlerType) },
  { keys: ['lock-owner', 'node'], ask: async () => (await nodes()).map((node) => node.node) },
  { keys: ['tenant'], ask: async () => (await get<Named[]>('tenants', { limit: 500 })).map((each) => each.id) },
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
