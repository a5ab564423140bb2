// What a token with topics or tenants may not see: asked once in vain, and then not again. Any other refusal is a
// mistake, and is shown as one.
import { useEffect, useState } from 'preact/hooks';
import type { Query } from './api.js';
import { useResource, type Every, type Resource } from './resource.js';

export function useOptional<T>(path: string | undefined, query: Query, every: Every): Resource<T> & { isAbsent: boolean } {
  const [isAbsent, setAbsent] = useState(false);
  const found = useResource<T>(isAbsent ? undefined : path, query, { every });
  const isRefused = found.error?.status === 403;
  useEffect(() => {
    if (isRefused) {
      setAbsent(true);
    }
  }, [isRefused]);
  return { ...found, isAbsent: isAbsent || isRefused };
}
