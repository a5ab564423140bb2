// What the stream tells; it is asked for until it does, and where it cannot be had.
import { kSoon, useLive, type ServiceNode, type Stats } from './live.js';
import { useOptional } from './optional.js';
import { useResource, type Resource } from './resource.js';

export function useStats(): { stats: Stats | undefined; asked: Resource<Stats> } {
  const { stats } = useLive();
  const asked = useResource<Stats>(stats ? undefined : 'stats', kSoon, { every: 5 });
  return { stats: stats ?? asked.data, asked };
}

/** Those that were lost, too. Not for a token that may not see them. */
export function useNodes(): { nodes: readonly ServiceNode[] | undefined; isAsked: boolean } {
  const told = useLive().nodes;
  const asked = useOptional<ServiceNode[]>(told ? undefined : 'nodes', {}, 5);
  const nodes = told ?? asked.data;
  return { nodes, isAsked: nodes !== undefined || asked.error !== undefined || asked.isAbsent };
}
