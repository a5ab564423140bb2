// All series, page by page.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, get, segment } from '../core/api.js';
import { changeQuery, go, href, type Place } from '../core/router.js';
import { useList } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { useDeeds } from '../operate/deeds.js';
import { More, useRelease } from '../operate/parts.js';
import { t } from '../strings.js';
import { s } from '../strings/series.js';
import { Badge, Field, Loaded, Time } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';
import { seriesDeed, type SeriesVerb } from './deeds.js';
import type { Group, Series } from './types.js';
import { scheduleWords } from './words.js';

export function StateBadge(props: { series: Series }): JSX.Element {
  const { state, unreadableSeries } = props.series;
  if (unreadableSeries) {
    return <Badge tone="bad">{s.unreadable}</Badge>;
  }
  return <Badge tone={state === 'running' ? 'good' : state === 'paused' ? 'warn' : 'plain'}>{s.states[state] ?? state}</Badge>;
}

/** In words, or as it is written. */
export function Schedule(props: { repeat: string | null; zone: string }): JSX.Element {
  const words = scheduleWords(props.repeat, props.zone);
  return words ? <span class="words" title={props.repeat ?? ''}>{words}</span> : <code>{props.repeat ?? t.none}</code>;
}

const columns: readonly Column<Series>[] = [
  {
    key: 'series',
    head: s.key,
    cell: (row) => (
      <>
        <a href={href(['series', row.series])}>{row.series}</a>
        {row.description && <div class="quiet">{row.description}</div>}
      </>
    ),
  },
  {
    key: 'words',
    head: s.schedule,
    cell: (row) => (
      <>
        <Schedule repeat={row.repeat} zone={row.zone} />
        {row.calendar && <div class="quiet">{`${s.calendar}: ${row.calendar}`}</div>}
      </>
    ),
  },
  { key: 'state', head: s.state, cell: (row) => <StateBadge series={row} /> },
  { key: 'next', head: s.next, cell: (row) => <Time of={row.state === 'ended' ? null : row.nextFire} zone={row.zone} /> },
  { key: 'previous', head: s.previous, cell: (row) => <Time of={row.previousFire} zone={row.zone} />, isMinor: true },
  { key: 'group', head: s.group, cell: (row) => <span class="nowrap">{row.group}</span>, isMinor: true },
  { key: 'type', head: s.type, cell: (row) => (row.handlerType ? <a class="nowrap" href={href(['types', row.handlerType])}>{row.handlerType}</a> : t.none), isMinor: true },
];

export function SeriesList(props: { place: Place }): JSX.Element {
  const { query } = props.place;
  const filter = { group: query.get('group') ?? '', state: query.get('state') ?? '' };
  const after = query.get('after') ?? '';
  const found = useList<Series>('series', { ...filter, after });
  const groups = useList<Group>('groups', {}, { every: 5 });
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [released, release] = useRelease(found.data);
  const [dialog, ask] = useDeeds(() => {
    release();
    found.reload();
  });
  const mayChange = useMayChange();
  const deed = (verb: SeriesVerb): void => ask(seriesDeed(verb, [...selected], () => select(new Set())));
  return (
    <>
      <div class="filters">
        <Field label={s.key} help={s.openHelp}>
          {(id, help) => <OpenSeries id={id} help={help} />}
        </Field>
        <Field label={s.group}>
          {(id) => (
            <select id={id} value={filter.group} onChange={(event) => changeQuery({ group: event.currentTarget.value, after: '' })}>
              <option value="">{'–'}</option>
              {(groups.data?.items ?? []).map((group) => (
                <option key={group.id} value={group.id}>
                  {group.id}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={s.state}>
          {(id) => (
            <select id={id} value={filter.state} onChange={(event) => changeQuery({ state: event.currentTarget.value, after: '' })}>
              <option value="">{s.allStates}</option>
              {Object.entries(s.states).map(([state, words]) => (
                <option key={state} value={state}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {mayChange && selected.size > 0 && (
        <div class="toolbar" role="group" aria-label={s.selected(selected.size)}>
          <strong>{s.selected(selected.size)}</strong>
          <button onClick={() => deed('pause')}>{s.pause}</button>
          <button onClick={() => deed('resume')}>{s.resume}</button>
          <button onClick={() => deed('fire')}>{s.fire}</button>
          <button onClick={() => deed('end')}>{s.end}</button>
          <button onClick={() => deed('rm')}>{s.remove}</button>
        </div>
      )}
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Table
          caption={s.series}
          columns={columns}
          rows={found.data?.items ?? []}
          keyOf={(row) => row.series}
          hrefOf={(row) => href(['series', row.series])}
          empty={s.none}
          holdKey={`${released} ${after} ${JSON.stringify(filter)}`}
          {...(mayChange ? { selected, onSelect: select } : {})}
        />
        <More after={after} next={found.data?.after} />
      </Loaded>
      {dialog}
    </>
  );
}

/** Enter opens the series of that key; if there is none, the list goes on from there. */
function OpenSeries(props: { id: string; help: string | undefined }): JSX.Element {
  const [text, setText] = useState('');
  const open = async (): Promise<void> => {
    const key = text.trim();
    try {
      await get<Series>(`series/${segment(key)}`);
      go(href(['series', key]));
    } catch (problem) {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      changeQuery({ after: key });
    }
  };
  return (
    <input
      id={props.id}
      type="search"
      aria-describedby={props.help}
      placeholder={s.open}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && text.trim()) {
          void open();
        }
      }}
    />
  );
}
