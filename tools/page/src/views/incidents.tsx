// The inbox of what went wrong: by cause, each one, and those that are over.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment, send } from '../core/api.js';
import { changeQuery, href, type Place } from '../core/router.js';
import { useResource } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { count } from '../core/time.js';
import { useSeldomList } from '../jobs/seldom.js';
import { told } from '../operate/deeds.js';
import { More, useRelease } from '../operate/parts.js';
import { t } from '../strings.js';
import { incidents as s } from '../strings/operate.js';
import { Badge, Card, Facts, Field, Loaded, Tabs, Time, View } from '../ui/parts.js';
import { DeedDialog } from '../ui/deed.js';
import { Table, type Column } from '../ui/table.js';

interface Cause {
  group: string;
  incidents: number;
  handlerType: string | null;
  errorClass: string | null;
  message: string | null;
  firstTime: string | null;
  lastTime: string | null;
  exampleJobId: string;
}

interface Incident {
  jobId: string;
  id: string;
  time: string;
  cause: string | null;
  message: string | null;
  handlerType: string | null;
  processInstanceId: string | null;
  elementId: string | null;
  tenantId: string | null;
  node: string | null;
  annotation: string | null;
  endTime: string | null;
  resolution: string | null;
}

/** A note that begins with "@anna" says whose it is. */
const ownerOf = (note: string | null): string => /^@(\S+)/.exec(note ?? '')?.[1] ?? '';
const withoutOwner = (note: string | null): string => (note ?? '').replace(/^@\S+\s*/, '');

type Part = 'causes' | 'each' | 'resolved';

export function IncidentsView(props: { place: Place }): JSX.Element {
  const { path, query } = props.place;
  const [, job] = path;
  if (job !== undefined) {
    return <JobIncidents key={job} job={job} />;
  }
  const asked = query.get('show');
  const part: Part = asked === 'each' || asked === 'resolved' ? asked : 'causes';
  return (
    <View title={t.nav.incidents}>
      <Tabs<Part>
        label={s.tabs}
        value={part}
        href={(value) => href(['incidents'], value === 'causes' ? {} : { show: value })}
        choices={[
          { value: 'causes', label: s.byCause },
          { value: 'each', label: s.each },
          { value: 'resolved', label: s.resolvedTab },
        ]}
      />
      {part === 'causes' ? <Causes /> : <Each key={part} query={query} isResolved={part === 'resolved'} />}
    </View>
  );
}

const causeHref = (row: Cause): string => href(['incidents'], { show: 'each', type: row.handlerType ?? undefined, message: row.message ?? undefined });

const causeColumns: readonly Column<Cause>[] = [
  { key: 'count', head: s.count, cell: (row) => <a href={causeHref(row)}>{count(row.incidents)}</a>, isNumber: true },
  {
    key: 'cause',
    head: s.cause,
    cell: (row) => (
      <a href={causeHref(row)}>
        {row.errorClass && <Badge tone="bad">{row.errorClass}</Badge>} <span class="message">{row.message ?? t.none}</span>
      </a>
    ),
  },
  { key: 'type', head: s.type, cell: (row) => (row.handlerType ? <a href={href(['types', row.handlerType])}>{row.handlerType}</a> : t.none) },
  { key: 'first', head: s.first, cell: (row) => <Time of={row.firstTime} />, isMinor: true },
  { key: 'last', head: s.last, cell: (row) => <Time of={row.lastTime} /> },
  { key: 'example', head: s.example, cell: (row) => <a href={href(['job', row.exampleJobId])}>{row.exampleJobId}</a>, isMinor: true },
];

function Causes(): JSX.Element {
  const found = useSeldomList<Cause>('incidents', {});
  return (
    <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
      <Table caption={s.byCause} columns={causeColumns} rows={found.data?.items ?? []} keyOf={(row) => row.group} hrefOf={causeHref} empty={s.none} />
      <More after="" next={found.data?.after} />
    </Loaded>
  );
}

/** What the service has put `<*>` for may be anything. */
function isOfCause(message: string | null, pattern: string): boolean {
  const parts = pattern.split('<*>').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}`).test(message ?? '');
}

const kLookedThrough = 1000;

function Each(props: { query: URLSearchParams; isResolved: boolean }): JSX.Element {
  const { query, isResolved } = props;
  const message = query.get('message') ?? '';
  const owner = query.get('owner') ?? '';
  const type = query.get('type') ?? '';
  const after = query.get('after') ?? '';
  const isLookedThrough = message !== '' || owner !== '';
  const found = useSeldomList<Incident>('incidents', { ...(isResolved ? { resolved: true } : { each: true }), type, after, limit: isLookedThrough ? kLookedThrough : 100 });
  const [released, release] = useRelease(found.data);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [deed, setDeed] = useState<DeedKind>();
  const mayChange = useMayChange() && !isResolved;
  const rows = (found.data?.items ?? []).filter((row) => (!message || isOfCause(row.message, message)) && (!owner || ownerOf(row.annotation) === owner.replace(/^@/, '')));
  const chosen = rows.filter((row) => selected.has(row.jobId));
  return (
    <>
      <div class="filters">
        <Field label={s.filterType}>{(id) => <input id={id} type="search" name="type" value={type} onInput={(event) => changeQuery({ type: event.currentTarget.value, after: '' }, 'replace')} />}</Field>
        <Field label={s.filterOwner}>{(id) => <input id={id} name="owner" value={owner} onInput={(event) => changeQuery({ owner: event.currentTarget.value, after: '' }, 'replace')} />}</Field>
      </div>
      {message && (
        <p>
          {s.ofCause(message)} <a href={href(['incidents'], { show: isResolved ? 'resolved' : 'each' })}>{s.allCauses}</a>
        </p>
      )}
      {mayChange && chosen.length > 0 && (
        <div class="toolbar" role="group" aria-label={s.selected(chosen.length)}>
          <strong>{s.selected(chosen.length)}</strong>
          <button onClick={() => setDeed('resolve')}>{s.resolve}</button>
          <button onClick={() => setDeed('assign')}>{s.assign}</button>
          <button onClick={() => setDeed('note')}>{s.noteDeed}</button>
        </div>
      )}
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Table
          caption={isResolved ? s.resolvedTab : s.each}
          columns={columnsOf(isResolved)}
          rows={rows}
          keyOf={(row) => (isResolved ? row.id : row.jobId)}
          hrefOf={(row) => href(['incidents', row.jobId])}
          empty={isResolved ? s.noneResolved : s.none}
          holdKey={`${released} ${type} ${message} ${owner} ${after}`}
          {...(mayChange ? { selected, onSelect: select } : {})}
        />
        {isLookedThrough && found.data?.after && <p class="quiet">{s.cut(kLookedThrough)}</p>}
        <More after={after} next={found.data?.after} />
      </Loaded>
      {deed && (
        <IncidentDeed
          kind={deed}
          incidents={chosen}
          onClose={() => setDeed(undefined)}
          onDone={() => {
            select(new Set());
            release();
            found.reload();
          }}
        />
      )}
    </>
  );
}

function columnsOf(isResolved: boolean): Column<Incident>[] {
  return [
    { key: 'job', head: s.job, cell: (row) => <a href={href(['incidents', row.jobId])}>{row.jobId}</a> },
    { key: 'message', head: s.message, cell: (row) => <span class="message">{row.message ?? row.cause ?? t.none}</span> },
    { key: 'type', head: s.type, cell: (row) => <span class="nowrap">{row.handlerType ?? t.none}</span>, isMinor: true },
    { key: 'time', head: s.time, cell: (row) => <span class="nowrap"><Time of={row.time} /></span> },
    { key: 'owner', head: s.owner, cell: (row) => (ownerOf(row.annotation) ? <Badge>{`@${ownerOf(row.annotation)}`}</Badge> : '') },
    { key: 'note', head: s.note, cell: (row) => withoutOwner(row.annotation), isMinor: true },
    ...(isResolved
      ? [
          { key: 'ended', head: s.ended, cell: (row: Incident) => <Time of={row.endTime} /> },
          { key: 'how', head: s.resolution, cell: (row: Incident) => row.resolution ?? t.none },
        ]
      : []),
  ];
}

type DeedKind = 'resolve' | 'note' | 'assign';

/** Resolves them, or gives each a note or somebody who cares. */
function IncidentDeed(props: { kind: DeedKind; incidents: readonly Incident[]; onClose: () => void; onDone: () => void }): JSX.Element {
  const { kind, incidents } = props;
  const [only] = incidents;
  const [text, setText] = useState(incidents.length === 1 && only ? (kind === 'assign' ? ownerOf(only.annotation) : (only.annotation ?? '')) : '');
  const n = incidents.length;
  const annotate = async (noteOf: (incident: Incident) => string, reason: string): Promise<void> => {
    for (const incident of incidents) {
      await send('PUT', `incidents/${segment(incident.jobId)}/note`, { note: noteOf(incident) }, reason);
    }
  };
  const run = async (reason: string): Promise<string> => {
    if (kind === 'resolve') {
      const answer = await send<{ resolved?: number; items?: { answer: string; why: string | null }[] }>('POST', 'incidents/resolve', { jobs: incidents.map((each) => each.jobId) }, reason);
      props.onDone();
      return answer.items ? told(answer.items) : s.resolved(answer.resolved ?? n);
    }
    const name = text.trim().replace(/^@/, '').replace(/\s+/g, '.');
    await annotate((each) => (kind === 'note' ? text.trim() : [name ? `@${name}` : '', withoutOwner(each.annotation)].filter(Boolean).join(' ')), reason);
    props.onDone();
    return kind === 'note' ? s.noted : s.assigned(name);
  };
  const title = kind === 'resolve' ? s.resolveTitle(n) : kind === 'note' ? s.noteTitle(n) : s.assignTitle(n);
  return (
    <DeedDialog title={title} label={kind === 'resolve' ? s.resolveLabel(n) : title.split(' ')[0] ?? title} onClose={props.onClose} onDo={run}>
      {kind === 'resolve' ? (
        <p>{s.resolveText}</p>
      ) : (
        <Field label={kind === 'note' ? s.note : s.assignName} help={kind === 'note' ? s.noteHelp : s.assignHelp}>
          {(id, help) => <input id={id} name="note" aria-describedby={help} value={text} onInput={(event) => setText(event.currentTarget.value)} />}
        </Field>
      )}
    </DeedDialog>
  );
}

/** All incidents of a job, the open one first. */
function JobIncidents(props: { job: string }): JSX.Element {
  const found = useResource<Incident[]>(`incidents/${segment(props.job)}`);
  const [deed, setDeed] = useState<DeedKind>();
  const mayChange = useMayChange();
  const open = (found.data ?? []).find((each) => each.endTime === null);
  return (
    <View
      title={s.of(props.job)}
      aside={
        mayChange &&
        open && (
          <>
            <button onClick={() => setDeed('resolve')}>{s.resolve}</button>
            <button onClick={() => setDeed('assign')}>{s.assign}</button>
            <button onClick={() => setDeed('note')}>{s.noteDeed}</button>
          </>
        )
      }
    >
      <p>
        <a href={href(['incidents'])}>{`← ${t.nav.incidents}`}</a> · <a href={href(['job', props.job])}>{`${s.job} ${props.job}`}</a>
      </p>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
        {(found.data ?? []).map((each) => (
          <Card key={each.id} title={each.endTime === null ? s.open : s.ended} {...(each.endTime === null ? { tone: 'bad' as const } : {})}>
            <p class="message">{each.message ?? each.cause}</p>
            <Facts of={facts(each)} />
          </Card>
        ))}
      </Loaded>
      {deed && open && <IncidentDeed kind={deed} incidents={[open]} onClose={() => setDeed(undefined)} onDone={found.reload} />}
    </View>
  );
}

function facts(incident: Incident): [string, JSX.Element | string | null][] {
  return [
    [s.time, <Time of={incident.time} />],
    [s.cause, incident.cause],
    [s.type, incident.handlerType && <a href={href(['types', incident.handlerType])}>{incident.handlerType}</a>],
    [s.owner, ownerOf(incident.annotation) && `@${ownerOf(incident.annotation)}`],
    [s.note, withoutOwner(incident.annotation)],
    [s.ended, incident.endTime && <Time of={incident.endTime} />],
    [s.resolution, incident.resolution],
    [s.instance, incident.processInstanceId],
    [s.element, incident.elementId],
    [s.tenant, incident.tenantId],
    [s.node, incident.node],
  ];
}
