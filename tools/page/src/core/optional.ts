// What older services do not have, or a token may not see: asked once in vain, and then not again.
import { useEffect, useState } from 'preact/hooks';
import type { Query } from './api.js';
import { useResource, type Resource } from './resource.js';

export function useOptional<T>(path: string, query: Query, every: number): Resource<T> & { isAbsent: boolean } {
  const [isAbsent, setAbsent] = useState(false);
  const found = useResource<T>(isAbsent ? undefined : path, query, { every });
  const status = found.error?.status;
  useEffect(() => {
    if (status === 400 || status === 403 || status === 404) {
      setAbsent(true);
    }
  }, [status]);
  return { ...found, isAbsent: isAbsent || status === 400 || status === 403 || status === 404 };
}
