// Nodes and external workers, what runs now and for how long, and how to stop it.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { segment, send } from '../core/api.js';
import { useLive, type ServiceNode, type Topic } from '../core/live.js';
import { href, type Place } from '../core/router.js';
import { useList } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { count, span } from '../core/time.js';
import { useNodes, useStats } from '../core/told.js';
import { told, useDeeds, type Deed } from '../operate/deeds.js';
import { useRelease } from '../operate/parts.js';
import { t } from '../strings.js';
import { nodes as s } from '../strings/operate.js';
import { Badge, Card, Loaded, Time, View } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';

interface Run {
  id: string;
  place: string;
  handlerType: string | null;
  lockOwner: string | null;
  lockExpirationTime: string | null;
  attempts: number;
  createTime: string | null;
}

export function NodesView(props: { place: Place }): JSX.Element {
  return (
    <View title={t.nav.nodes}>
      <Nodes />
      <Runs place={props.place} />
      <Workers />
    </View>
  );
}

function StateOf(props: { node: ServiceNode }): JSX.Element {
  const { state, standstill } = props.node;
  return (
    <>
      <Badge tone={state === 'lost' ? 'bad' : state === 'draining' ? 'warn' : 'good'}>{s.states[state] ?? state}</Badge>
      {standstill && (
        <div class="bad">
          {s.standstill}: {standstill}
        </div>
      )}
    </>
  );
}

const name = (node: ServiceNode): string => `${node.host}, process ${node.process}`;

function Nodes(): JSX.Element {
  const found = useList<ServiceNode>('nodes');
  const [released, release] = useRelease(found.data);
  const [dialog, ask] = useDeeds(() => {
    release();
    found.reload();
  });
  const mayChange = useMayChange();
  const deed = (node: ServiceNode): Deed => {
    const isDraining = node.state === 'draining';
    return {
      title: isDraining ? s.resumeTitle(name(node)) : s.drainTitle(name(node)),
      label: isDraining ? s.resume : s.drain,
      text: isDraining ? s.resumeText : s.drainText,
      does: async (reason) => {
        await send('POST', `nodes/${segment(node.node)}/${isDraining ? 'resume' : 'drain'}`, undefined, reason);
        return isDraining ? s.resumed(name(node)) : s.drained(name(node));
      },
    };
  };
  const columns: Column<ServiceNode>[] = [
    {
      key: 'node',
      head: s.node,
      cell: (row) => (
        <>
          <a class="nowrap" href={href(['nodes'], { node: row.node })} title={row.node}>
            {name(row)}
          </a>
          <div class="quiet">{`${s.version} ${row.version}`}</div>
        </>
      ),
    },
    { key: 'state', head: s.state, cell: (row) => <StateOf node={row} /> },
    { key: 'work', head: s.work, cell: (row) => `${row.running} / ${row.workers}`, isNumber: true },
    { key: 'held', head: s.held, cell: (row) => count(row.held), isNumber: true },
    { key: 'since', head: s.since, cell: (row) => <Time of={row.started} /> },
    { key: 'lease', head: s.lease, cell: (row) => <Time of={row.leaseUntil} />, isMinor: true },
    {
      key: 'serves',
      head: s.serves,
      isMinor: true,
      cell: (row) => (
        <>
          {row.handlerTypes.map((type, i) => (
            <>
              {i > 0 && ', '}
              <a href={href(['types', type])}>{type}</a>
            </>
          ))}
          <div class="quiet">{[row.acquiresJobs ? '' : s.nothing, row.movesTimers ? s.timers : '', row.scope ? JSON.stringify(row.scope) : ''].filter(Boolean).join(', ')}</div>
        </>
      ),
    },
  ];
  if (mayChange) {
    columns.push({
      key: 'deed',
      head: <span class="unseen">{s.deeds}</span>,
      cell: (row) => (row.state === 'lost' ? '' : <button onClick={() => ask(deed(row))}>{row.state === 'draining' ? s.resume : s.drain}</button>),
    });
  }
  return (
    <Card title={s.nodes}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
        <Table caption={s.nodes} columns={columns} rows={found.data?.items ?? []} keyOf={(row) => row.node} empty={s.none} holdKey={released} />
      </Loaded>
      {dialog}
    </Card>
  );
}

/** How long an attempt runs, which counts on by itself. Short ones and those of workers are not told. */
function Running(props: { since: string | undefined }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return props.since ? (
    <time class="nowrap" dateTime={props.since} title={props.since}>
      {span(Math.max(0, now - new Date(props.since).getTime()))}
    </time>
  ) : (
    <span class="quiet">{t.none}</span>
  );
}

const kShown = 50;

function Runs(props: { place: Place }): JSX.Element {
  const filter = { 'lock-owner': props.place.query.get('node') ?? '', type: props.place.query.get('type') ?? '' };
  const executable = useList<Run>('jobs', { locked: true, place: 'executable', limit: kShown, ...filter });
  const external = useList<Run>('jobs', { locked: true, place: 'external', limit: kShown, ...filter });
  const { nodes } = useNodes();
  const since = new Map(useLive().work?.running.map((run) => [run.id, run.runsSince]));
  const [released, release] = useRelease(executable.data);
  const [dialog, ask] = useDeeds(() => {
    release();
    executable.reload();
    external.reload();
  });
  const mayChange = useMayChange();
  const owner = (run: Run): JSX.Element => {
    const node = nodes?.find((each) => each.node === run.lockOwner);
    return <span class="nowrap" title={run.lockOwner ?? ''}>{node ? name(node) : run.lockOwner}</span>;
  };
  const rows = [...(executable.data?.items ?? []), ...(external.data?.items ?? [])];
  const columns: Column<Run>[] = [
    { key: 'job', head: s.job, cell: (row) => <a href={href(['job', row.id])}>{row.id}</a> },
    { key: 'type', head: s.type, cell: (row) => (row.handlerType ? <a href={href(['types', row.handlerType])}>{row.handlerType}</a> : t.none) },
    { key: 'by', head: s.by, cell: owner },
    { key: 'runs', head: s.runs, cell: (row) => <Running since={since.get(row.id)} />, isNumber: true },
    { key: 'lock', head: s.lock, cell: (row) => <Time of={row.lockExpirationTime} />, isMinor: true },
    { key: 'attempt', head: s.attempt, cell: (row) => row.attempts + 1, isNumber: true, isMinor: true },
  ];
  if (mayChange) {
    columns.push({
      key: 'deed',
      head: <span class="unseen">{s.deeds}</span>,
      cell: (row) => (
        <button
          aria-label={s.cancelTitle(row.id)}
          onClick={() =>
            ask({
              title: s.cancelTitle(row.id),
              label: s.cancelLabel,
              text: s.cancelText,
              isDangerous: true,
              needsReason: true,
              does: async (reason) => told(await send('POST', 'jobs/cancel', { ids: [row.id], reason }, reason)),
            })
          }
        >
          {s.cancel}
        </button>
      ),
    });
  }
  return (
    <Card
      title={s.under}
      aside={
        (filter['lock-owner'] || filter.type) && (
          <>
            {filter['lock-owner'] && <Badge>{s.ofNode(filter['lock-owner'])}</Badge>}
            {filter.type && <Badge>{s.ofType(filter.type)}</Badge>}
            <a href={href(['nodes'])}>{s.all2}</a>
          </>
        )
      }
    >
      <Loaded isThere={executable.data !== undefined && external.data !== undefined} error={executable.error ?? external.error} onRetry={executable.reload}>
        <Table caption={s.under} columns={columns} rows={rows} keyOf={(row) => row.id} hrefOf={(row) => href(['job', row.id])} empty={s.underNone} holdKey={`${released} ${JSON.stringify(filter)}`} />
        {(executable.data?.after || external.data?.after) && <a href={href(['jobs'], { place: 'executable' })}>{t.nav.jobs}</a>}
      </Loaded>
      {dialog}
    </Card>
  );
}

function Workers(): JSX.Element {
  const { stats, asked } = useStats();
  const topics = useLive().work?.external ?? [];
  const columns: Column<Topic>[] = [
    { key: 'topic', head: s.topic, cell: (row) => <a href={href(['types', row.topic])}>{row.topic}</a> },
    { key: 'waiting', head: s.waiting, cell: (row) => count(row.waiting), isNumber: true },
    { key: 'since', head: s.waitsSince, cell: (row) => <Time of={row.waitsSince} /> },
    { key: 'locked', head: s.locked, cell: (row) => count(row.locked), isNumber: true },
    { key: 'workers', head: s.count, cell: (row) => count(row.workers), isNumber: true },
    {
      key: 'asked',
      head: s.asked,
      cell: (row) =>
        row.lastAsked ? (
          <>
            <Time of={row.lastAsked} /> {row.lastWorker && <span class="quiet">{`${s.lastWorker} ${row.lastWorker}`}</span>}
          </>
        ) : (
          <Badge tone={row.waiting > 0 ? 'bad' : 'plain'}>{s.neverAsked}</Badge>
        ),
    },
  ];
  return (
    <Card title={s.workers}>
      <Loaded isThere={stats !== undefined} error={asked.error} onRetry={asked.reload}>
        <Table caption={s.workers} columns={columns} rows={topics} keyOf={(row) => row.topic} empty={s.noWorkers} />
      </Loaded>
    </Card>
  );
}
