// Questions that may read much are asked again the more seldom the longer they take: a twentieth of the time at most.
import { useEffect, useState } from 'preact/hooks';
import type { Page, Query } from '../core/api.js';
import { useList, useResource, useVerb, type Resource } from '../core/resource.js';

const kBeat = 2000;
const kShare = 20;

/** In beats, by powers of two, and only ever more: what takes now a bit longer and now less is not asked for each change. */
function usePace(key: string, least: number, most = Infinity): [number, (took: number | undefined) => void] {
  const [pace, setPace] = useState({ key, beats: least });
  const beats = pace.key === key ? pace.beats : least;
  const note = (took: number | undefined): void => {
    useEffect(() => {
      const wanted = 2 ** Math.ceil(Math.log2(Math.max(least, ((took ?? 0) * kShare) / kBeat)));
      setPace({ key, beats: Math.min(most, Math.max(beats, wanted > least ? wanted : least)) });
    }, [key, took]);
  };
  return [beats, note];
}

export function useSeldomList<T>(path: string | undefined, query: Query, least = 1): Resource<Page<T>> {
  const [every, useTook] = usePace(`${path} ${JSON.stringify(query)}`, least);
  const found = useList<T>(path, query, { every });
  useTook(found.data === undefined ? undefined : found.took);
  return found;
}

export function useSeldom<T>(path: string | undefined, query: Query, least = 1): Resource<T> {
  const [every, useTook] = usePace(`${path} ${JSON.stringify(query)}`, least);
  const found = useResource<T>(path, query, { every });
  useTook(found.data === undefined ? undefined : found.took);
  return found;
}

/** `most`: in beats, however long it takes. */
export function useSeldomVerb<T>(verb: string, words: readonly string[], least = 1, most = Infinity): Resource<T> {
  const [every, useTook] = usePace(`${verb} ${JSON.stringify(words)}`, least, most);
  const found = useVerb<T>(verb, words, { every });
  useTook(found.data === undefined ? undefined : found.took);
  return found;
}
