// Bulk operations: how far they are, who began them and why, and how to stop them.
import type { JSX } from 'preact';
import { segment, send } from '../core/api.js';
import { go, href, type Place } from '../core/router.js';
import { useList, useResource } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { useDeeds } from '../operate/deeds.js';
import { More, useRelease } from '../operate/parts.js';
import { t } from '../strings.js';
import { batches as s } from '../strings/operate.js';
import { Badge, Card, Facts, Loaded, Time, View } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';

interface Batch {
  id: string;
  operation: string;
  place: string;
  state: string;
  total: number;
  done: number;
  skipped: number;
  refused: number;
  selection: string;
  group: string | null;
  retries: number | null;
  priority: number | null;
  dueDate: string | null;
  spread: string | null;
  rate: number | null;
  who: string | null;
  reason: string | null;
  createTime: string;
  endTime: string | null;
  cursor: string | null;
}

export function BatchesView(props: { place: Place }): JSX.Element {
  const [, id] = props.place.path;
  return id === undefined ? <BatchList place={props.place} /> : <BatchDetail key={id} id={id} />;
}

function State(props: { batch: Batch }): JSX.Element {
  const { state } = props.batch;
  return <Badge tone={state === 'running' ? 'good' : state === 'done' ? 'plain' : 'warn'}>{state}</Badge>;
}

function Bar(props: { batch: Batch }): JSX.Element {
  const { batch } = props;
  const dealt = batch.done + batch.skipped + batch.refused;
  const label = s.counts(dealt, batch.total);
  return (
    <>
      <progress max={Math.max(1, batch.total)} value={batch.total === 0 ? 1 : dealt} aria-label={label} />
      <div class="quiet">{label}</div>
    </>
  );
}

type Verb = 'pause' | 'resume' | 'cancel' | 'forget';

function Deeds(props: { batch: Batch; onDone: () => void }): JSX.Element | null {
  const { batch } = props;
  const [dialog, ask] = useDeeds(props.onDone);
  if (!useMayChange()) {
    return null;
  }
  const isOver = batch.state === 'done' || batch.state === 'cancelled';
  const verbs: readonly Verb[] = isOver ? ['forget'] : batch.state === 'running' ? ['pause', 'cancel'] : ['resume', 'cancel', 'forget'];
  const open = (verb: Verb): void =>
    ask({
      title: s.title(s[verb], batch.id),
      label: s[verb],
      text: s[`${verb}Text`],
      isDangerous: verb === 'cancel' || verb === 'forget',
      does: async (reason) => {
        const path = `batches/${segment(batch.id)}`;
        if (verb === 'forget') {
          await send('DELETE', path, undefined, reason);
          go(href(['batches']));
          return s.gone(batch.id);
        }
        const answer = await send<{ state?: string }>('POST', `${path}/${verb}`, verb === 'resume' ? { background: true } : undefined, reason);
        return s.said(batch.id, answer?.state ?? s[verb].toLowerCase());
      },
    });
  return (
    <span class="row">
      {verbs.map((verb) => (
        <button key={verb} onClick={() => open(verb)}>
          {s[verb]}
        </button>
      ))}
      {dialog}
    </span>
  );
}

const operation = (batch: Batch): string => s.operations[batch.operation] ?? batch.operation;

function BatchList(props: { place: Place }): JSX.Element {
  const after = props.place.query.get('after') ?? '';
  const found = useList<Batch>('batches', { after });
  const [released, release] = useRelease(found.data);
  const changed = (): void => {
    release();
    found.reload();
  };
  const columns: Column<Batch>[] = [
    {
      key: 'what',
      head: s.what,
      cell: (row) => (
        <>
          <a href={href(['batches', row.id])}>{`${operation(row)}, ${t.places[row.place as keyof typeof t.places] ?? row.place}`}</a>
          <div class="message">{row.selection}</div>
        </>
      ),
    },
    { key: 'state', head: s.state, cell: (row) => <State batch={row} /> },
    { key: 'progress', head: s.progress, cell: (row) => <Bar batch={row} /> },
    { key: 'who', head: s.who, cell: (row) => row.who ?? t.none },
    { key: 'reason', head: s.reason, cell: (row) => row.reason ?? t.none, isMinor: true },
    { key: 'began', head: s.began, cell: (row) => <Time of={row.createTime} /> },
    { key: 'deeds', head: <span class="unseen">{s.deeds}</span>, cell: (row) => <Deeds batch={row} onDone={changed} /> },
  ];
  return (
    <View title={t.nav.batches}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
        <Table caption={t.nav.batches} columns={columns} rows={found.data?.items ?? []} keyOf={(row) => row.id} hrefOf={(row) => href(['batches', row.id])} empty={s.none} holdKey={`${released} ${after}`} />
        <More after={after} next={found.data?.after} />
      </Loaded>
    </View>
  );
}

function BatchDetail(props: { id: string }): JSX.Element {
  const found = useResource<Batch>(`batches/${segment(props.id)}`);
  const batch = found.data;
  const facts: [string, JSX.Element | string | number | null][] = batch
    ? [
        [s.what, operation(batch)],
        [s.place, t.places[batch.place as keyof typeof t.places] ?? batch.place],
        [s.which, <span class="message">{batch.selection}</span>],
        [s.group, batch.group],
        [s.total, batch.total],
        [s.done, batch.done],
        [s.skipped, String(batch.skipped)],
        [s.refused, String(batch.refused)],
        [s.retries, batch.retries],
        [s.priority, batch.priority],
        [s.due, batch.dueDate && <Time of={batch.dueDate} />],
        [s.spread, batch.spread],
        [s.rate, batch.rate && s.perSecond(batch.rate)],
        [s.who, batch.who],
        [s.reason, batch.reason],
        [s.began, <Time of={batch.createTime} />],
        [s.ended, batch.endTime && <Time of={batch.endTime} />],
        [s.cursor, batch.cursor],
      ]
    : [];
  return (
    <View
      title={`${s.batch} ${props.id}`}
      aside={
        batch && (
          <>
            <State batch={batch} />
            <Deeds batch={batch} onDone={found.reload} />
          </>
        )
      }
    >
      <p>
        <a href={href(['batches'])}>{`← ${t.nav.batches}`}</a>
      </p>
      <Loaded isThere={batch !== undefined} error={found.error} onRetry={found.reload}>
        {batch && (
          <Card>
            <Bar batch={batch} />
            <Facts of={facts} />
          </Card>
        )}
      </Loaded>
    </View>
  );
}
