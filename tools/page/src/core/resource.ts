// What a view shows of the service: asked when it appears, and again at the beat of the stream.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, list, type Asking, type Page, type Query } from './api.js';
import { useLive } from './live.js';

export interface Resource<T> {
  data: T | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  /** How long the last answer took, in milliseconds. */
  took: number | undefined;
  reload: () => void;
  /** Gives up waiting; the service stops when it notices that we hung up. */
  cancel: () => void;
}

/** When it is asked again: each second, or every so many beats (of two seconds); 0: never by itself. */
export type Every = number | 'second';

interface Options {
  every?: Every;
}

function useAsked<T>(key: string | undefined, ask: (asking: Asking) => Promise<T>, every: Every): Resource<T> {
  const [state, setState] = useState<{ key?: string; data?: T | undefined; error?: ApiError | undefined; took?: number }>({});
  const [isLoading, setLoading] = useState(false);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController>();
  const { second, beat, deeds } = useLive();
  const last = useRef<string>();
  const step = every === 'second' ? second + beat : every > 0 ? Math.floor(beat / every) : 0;

  useEffect(() => {
    if (key === undefined) {
      return undefined;
    }
    const controller = new AbortController();
    running.current = controller;
    const began = performance.now();
    setLoading(true);
    // What appears, or follows a deed, is to be new.
    const occasion = `${turn} ${deeds} ${key}`;
    const mayBeShared = last.current === occasion;
    last.current = occasion;
    ask({ signal: controller.signal, mayBeShared })
      .then(
        (data) => setState({ key, data, took: performance.now() - began }),
        (error: unknown) => {
          if (error instanceof ApiError) {
            setState((before) => ({ key, data: before.key === key ? before.data : undefined, error }));
          } else if (!controller.signal.aborted) {
            throw error;
          }
        },
      )
      .finally(() => {
        if (running.current === controller) {
          setLoading(false);
        }
      });
    return () => controller.abort();
    // `ask` is new at each turn; `key` says what it asks.
  }, [key, turn, step]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const cancel = useCallback(() => {
    running.current?.abort();
    setLoading(false);
  }, []);
  const isOfKey = state.key === key;
  return { data: isOfKey ? state.data : undefined, error: isOfKey ? state.error : undefined, isLoading, took: state.took, reload, cancel };
}

/** `useResource<Job>('jobs/' + segment(id))`; no path: nothing is asked. */
export function useResource<T>(path: string | undefined, query: Query = {}, { every = 1 }: Options = {}): Resource<T> {
  const key = path === undefined ? undefined : `${path} ${JSON.stringify(query)}`;
  return useAsked<T>(key, (asking) => get<T>(path ?? '', query, asking), every);
}

/** A page of a list. */
export function useList<T>(path: string | undefined, query: Query = {}, { every = 1 }: Options = {}): Resource<Page<T>> {
  const key = path === undefined ? undefined : `${path} ${JSON.stringify(query)}`;
  return useAsked<Page<T>>(key, (asking) => list<T>(path ?? '', query, asking), every);
}
