// Batches under way: what was asked of many jobs goes on in the background, and can be paused.
import type { JSX } from 'preact';
import { useOptional } from '../core/optional.js';
import { href } from '../core/router.js';
import { j } from '../strings/jobs.js';
import { Card } from '../ui/parts.js';

interface Batch {
  id: string;
  operation: string;
  state: string;
  total: number;
  done: number;
  skipped: number;
  refused: number;
}

export function RunningBatches(): JSX.Element | null {
  const found = useOptional<Batch[]>('batches', { limit: 20 }, 1);
  const open = (found.data ?? []).filter((batch) => batch.state === 'running' || batch.state === 'paused');
  if (open.length === 0) {
    return null;
  }
  return (
    <Card title={j.underWay}>
      {open.map((batch) => {
        const done = batch.done + batch.skipped + batch.refused;
        return (
          <p key={batch.id} data-batch={batch.id}>
            <a href={href(['batches', batch.id])}>{j.batchState(batch.operation, batch.state, done, batch.total)}</a>
            <progress aria-label={batch.operation} value={done} max={Math.max(1, batch.total)} />
          </p>
        );
      })}
    </Card>
  );
}
