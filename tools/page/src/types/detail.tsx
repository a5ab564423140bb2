// One handler type: how it does, its limit, its last runs, what its dead died of.
import type { JSX } from 'preact';
import { atLeast } from '../core/live.js';
import { href } from '../core/router.js';
import { useOptional } from '../core/optional.js';
import { filled, type Rate } from '../core/rates.js';
import { useMayChange } from '../core/session.js';
import { count, span } from '../core/time.js';
import { Looked } from '../jobs/looked.js';
import { useSoonList } from '../jobs/seldom.js';
import { j } from '../strings/jobs.js';
import { t } from '../strings.js';
import { s } from '../strings/types.js';
import { Chart } from '../ui/chart.js';
import { runLines, quantileLines } from '../ui/ratelines.js';
import { Badge, Card, Empty, Loaded, Time, View } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { noneOf, useKinds, type Kind } from './counts.js';
import { LimitCell, PauseButton } from './limit.js';
import { deadOf, jobsOf, KindBadge } from './list.js';

export function TypeDetail(props: { type: string }): JSX.Element {
  const { kinds, error, reload, counts } = useKinds();
  const mayChange = useMayChange();
  const kind: Kind | undefined = kinds && (kinds.find((each) => each.type === props.type) ?? noneOf(props.type));
  const limit = { name: `type:${props.type}`, limit: kind?.limit, mayChange, onChanged: reload };
  return (
    <View
      title={props.type}
      aside={
        kind && (
          <>
            <KindBadge kind={kind} />
            <PauseButton type={props.type} {...limit} isForWorkersOnly={kind.external > 0 && !kind.isServed} />
          </>
        )
      }
    >
      <p>
        <a href={href(['types'])}>{`← ${t.nav.types}`}</a>
      </p>
      <Loaded isThere={kind !== undefined} error={error} onRetry={reload}>
        {kind?.unserved && (
          <Card tone="bad">
            <p>
              {s.unservedText(kind.unserved.needs ?? '')} <a href={href(['doctor'])}>{t.nav.doctor}</a>
            </p>
          </Card>
        )}
        {kind && (
          <Card title={s.now}>
            <Looked found={counts} text={j.lookedPlaces} label={j.countAll} />
            <Tiles kind={kind} />
            <h3>{s.limit}</h3>
            <LimitCell {...limit} />
          </Card>
        )}
      </Loaded>
      <Speed type={props.type} />
      <Causes type={props.type} />
      <LastRuns type={props.type} />
    </View>
  );
}

function Tiles(props: { kind: Kind }): JSX.Element {
  const { kind } = props;
  const jobs = (place: string): string => jobsOf(kind.type, place);
  const tiles: [string, number, string][] = [
    [t.places.executable, kind.waiting, jobs('executable')],
    [s.running, kind.running, href(['nodes'], { type: kind.type })],
    [t.places.timer, kind.timers, jobs('timer')],
    [t.places.suspended, kind.suspended, jobs('suspended')],
    [t.places.external, kind.external, jobs('external')],
    [t.places.dead, kind.dead, deadOf(kind.type)],
  ];
  return (
    <div class="tiles">
      {tiles.map(([words, n, to]) => (
        <a key={words} class="tile" href={to}>
          <strong>{count(n)}</strong>
          <span>{words}</span>
        </a>
      ))}
    </div>
  );
}

function Speed(props: { type: string }): JSX.Element | null {
  const rates = useOptional<Rate[]>('rates', { last: 'PT1H', type: props.type }, 2);
  if (rates.isAbsent) {
    return null;
  }
  const spans = filled(rates.data ?? [], 'PT1H');
  const times = spans.map((each) => each.time);
  const format = (value: number): string => span(value * 1000);
  return (
    <Card title={s.speed}>
      <Loaded isThere={rates.data !== undefined} error={rates.error} onRetry={rates.reload}>
        <div class="columns">
          <Chart title={s.rates} times={times} lines={runLines(spans, 60)} />
          <Chart title={s.waits} times={times} format={format} lines={quantileLines(spans, 'wait')} />
          <Chart title={s.runs} times={times} format={format} lines={quantileLines(spans, 'run')} />
        </div>
      </Loaded>
    </Card>
  );
}

interface Cause {
  group: string;
  jobs: number;
  errorClass: string | null;
  message: string | null;
  firstFailedTime: string | null;
  lastFailedTime: string | null;
  exampleId: string;
  lookedAt: number | null;
}

function Causes(props: { type: string }): JSX.Element {
  const found = useSoonList<Cause>('dead/groups', { type: props.type, limit: 20 }, 4);
  return (
    <Card title={s.causes} aside={<a href={deadOf(props.type)}>{t.nav.dead}</a>}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Looked found={found} text={j.lookedLatest} label={j.countAll} />
        <Table
          caption={s.causes}
          rows={found.data?.items ?? []}
          keyOf={(row) => row.group}
          empty={s.causesNone}
          columns={[
            { key: 'jobs', head: s.jobs, cell: (row) => atLeast(row.jobs, Boolean(row.lookedAt)), isNumber: true },
            {
              key: 'cause',
              head: s.cause,
              cell: (row) => (
                <>
                  {row.errorClass && <Badge tone="bad">{row.errorClass}</Badge>} <span class="message">{row.message ?? t.none}</span>
                </>
              ),
            },
            { key: 'since', head: s.since, cell: (row) => <Time of={row.firstFailedTime} />, isMinor: true },
            { key: 'until', head: s.until, cell: (row) => <Time of={row.lastFailedTime} /> },
            { key: 'example', head: s.example, cell: (row) => <a href={href(['job', row.exampleId])}>{row.exampleId}</a> },
          ]}
        />
      </Loaded>
    </Card>
  );
}

interface Done {
  id: string;
  ended: string;
  node: string | null;
  attempt: number | null;
  waitedMs: number | null;
  durationMs: number | null;
  message: string | null;
}

const milliseconds = (value: number | null): string => (value === null ? t.none : span(value));

function LastRuns(props: { type: string }): JSX.Element {
  const done = useOptional<{ items: Done[] }>('jobs', { place: 'done', type: props.type, limit: 20 }, 2);
  return (
    <Card title={s.last}>
      {done.isAbsent ? (
        <Empty>{s.lastNone}</Empty>
      ) : (
        <Loaded isThere={done.data !== undefined} error={done.error} onRetry={done.reload}>
          <Table
            caption={s.last}
            rows={done.data?.items ?? []}
            keyOf={(row) => `${row.id} ${row.ended}`}
            hrefOf={(row) => href(['job', row.id])}
            empty={s.lastNone}
            columns={[
              { key: 'job', head: s.job, cell: (row) => <a href={href(['job', row.id])}>{row.id}</a> },
              { key: 'ended', head: s.ended, cell: (row) => <Time of={row.ended} /> },
              { key: 'waited', head: s.waited, cell: (row) => milliseconds(row.waitedMs), isNumber: true, isMinor: true },
              { key: 'took', head: s.took, cell: (row) => milliseconds(row.durationMs), isNumber: true },
              { key: 'attempt', head: s.attempt, cell: (row) => row.attempt ?? t.none, isNumber: true, isMinor: true },
              { key: 'node', head: s.node, cell: (row) => row.node ?? t.none, isMinor: true },
              { key: 'message', head: s.message, cell: (row) => <span class="message">{row.message ?? ''}</span> },
            ]}
          />
        </Loaded>
      )}
    </Card>
  );
}
