// What happened to jobs, the latest first.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment } from '../core/api.js';
import { useResource } from '../core/resource.js';
import { changeQuery, href, type Place } from '../core/router.js';
import { span } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Badge, Copy, Dialog, ErrorBox, Loaded, Time, View } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';
import { curlOf } from '../jobs/command.js';
import { kLog } from '../jobs/grammars.js';
import { eventTone, type LogLine } from '../jobs/lines.js';
import { parse, type Key } from '../jobs/search.js';
import { SearchBox } from '../jobs/searchbox.js';
import { useSeldomList } from '../jobs/seldom.js';

export function LogView(props: { place: Place }): JSX.Element {
  const { query } = props.place;
  const search = query.get('search') ?? '';
  const after = query.get('after') ?? '';
  const parsed = parse(kLog, search);
  const isGood = parsed.mistakes.length === 0;
  const asked = { ...parsed.asked, limit: 100 };
  const found = useSeldomList<LogLine>(isGood ? 'log' : undefined, { ...asked, after });
  const [open, setOpen] = useState<LogLine>();
  const lines = found.data?.items ?? [];
  const seen = (key: Key): string[] =>
    lines.map((line) => ({ type: line.handlerType, job: line.jobId, why: line.reason, tenant: line.tenantId, node: line.node })[key.name]).filter((value): value is string => Boolean(value));
  const columns: Column<LogLine>[] = [
    { key: 'time', head: j.column.time, cell: (line) => <Time of={line.time} /> },
    { key: 'event', head: j.column.event, cell: (line) => <Badge tone={eventTone(line.event) || 'plain'}>{line.event}</Badge> },
    { key: 'job', head: j.column.job, cell: (line) => <a href={href(['job', line.jobId])}>{line.jobId}</a> },
    { key: 'type', head: j.cause.type, cell: (line) => <span class="word">{line.handlerType}</span> },
    { key: 'reason', head: j.column.why, cell: (line) => <span class="word">{line.reason}</span>, isMinor: true },
    { key: 'attempt', head: j.fields['attempt'], cell: (line) => line.attempt ?? '', isNumber: true, isMinor: true },
    { key: 'took', head: j.fields['duration'], cell: (line) => (line.durationMs === null ? '' : span(line.durationMs)), isNumber: true },
    {
      key: 'message',
      head: j.cause.message,
      cell: (line) => (
        <>
          <span class="message">{line.exceptionMessage}</span>{' '}
          {line.event === 'failed' && (
            <button class="quiet-button" onClick={() => setOpen(line)}>
              {j.showOutput}
            </button>
          )}
        </>
      ),
    },
  ];
  return (
    <View title={t.nav.log} aside={<Copy label={j.copyCurl} text={curlOf('GET', 'log', asked)} />}>
      <SearchBox label={t.nav.log} grammar={kLog} value={search} onSearch={(text) => changeQuery({ search: text, after: '' })} seen={seen} />
      {isGood && (
        <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
          <Table caption={t.nav.log} columns={columns} rows={lines} keyOf={(line) => line.id} hrefOf={(line) => href(['job', line.jobId])} empty={j.noLines} holdKey={`${search} ${after}`} />
          <nav class="row pages" aria-label={t.pages}>
            {after && <button onClick={() => changeQuery({ after: '' })}>{t.first}</button>}
            {found.data?.after && <button onClick={() => changeQuery({ after: found.data?.after ?? '' })}>{t.next}</button>}
            <span class="grow" />
            {found.took !== undefined && <span class="quiet">{t.tookMs(span(found.took))}</span>}
          </nav>
        </Loaded>
      )}
      {open && <LineDialog line={open} onClose={() => setOpen(undefined)} />}
    </View>
  );
}

function LineDialog(props: { line: LogLine; onClose: () => void }): JSX.Element {
  const found = useResource<LogLine & { exceptionDetails?: string | null }>(`log/${segment(props.line.id)}`, {}, { every: 0 });
  return (
    <Dialog title={j.output} onClose={props.onClose}>
      <p class="message">{props.line.exceptionMessage}</p>
      {found.error && <ErrorBox error={found.error} />}
      {found.data && <pre tabIndex={0}>{found.data.exceptionDetails || j.noOutput}</pre>}
    </Dialog>
  );
}
