// Lines of the job log.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment } from '../core/api.js';
import { useResource } from '../core/resource.js';
import { j } from '../strings/jobs.js';
import { Copy, ErrorBox } from '../ui/parts.js';

export interface LogLine {
  id: string;
  time: string;
  event: string;
  reason: string | null;
  jobId: string;
  attempt: number | null;
  retries: number | null;
  handlerType: string | null;
  exceptionMessage: string | null;
  durationMs: number | null;
  node: string | null;
  tenantId: string | null;
  dueDate: string | null;
}

export const eventTone = (event: string): 'good' | 'bad' | '' => (event === 'succeeded' ? 'good' : event === 'failed' || event === 'dead' ? 'bad' : '');

/** The end of a stack trace or output, asked for when somebody wants it. */
export function Output(props: { line: LogLine }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const found = useResource<{ exceptionDetails?: string | null }>(isOpen ? `log/${segment(props.line.id)}` : undefined, {}, { every: 0 });
  return (
    <>
      <button class="quiet-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? j.hideOutput : j.showOutput}
      </button>
      {isOpen && found.error && <ErrorBox error={found.error} />}
      {isOpen && found.data && (
        <>
          {found.data.exceptionDetails && <Copy text={found.data.exceptionDetails} />}
          <pre tabIndex={0}>{found.data.exceptionDetails || j.noOutput}</pre>
        </>
      )}
    </>
  );
}
