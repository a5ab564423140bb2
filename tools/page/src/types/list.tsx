// All handler types, and all limits.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment, send } from '../core/api.js';
import { atLeast } from '../core/live.js';
import { changeQuery, href, type Place } from '../core/router.js';
import { useList } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { count, span } from '../core/time.js';
import { Looked } from '../jobs/looked.js';
import { quoted } from '../jobs/search.js';
import { useDeeds } from '../operate/deeds.js';
import { useRelease } from '../operate/parts.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { s } from '../strings/types.js';
import { Badge, Card, Field, Loaded, Time } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';
import { morePlaces, useKinds, type Kind } from './counts.js';
import { isPaused, LimitCell, PauseButton, type Limit } from './limit.js';

export function KindBadge(props: { kind: Kind }): JSX.Element {
  const { kind } = props;
  if (isPaused(kind.limit)) {
    return <Badge tone="warn">{s.paused}</Badge>;
  }
  if (kind.unserved) {
    return <Badge tone="bad">{s.unserved}</Badge>;
  }
  return kind.isServed ? <Badge tone="good">{s.serves}</Badge> : kind.external > 0 ? <Badge>{s.forWorkers}</Badge> : <span class="quiet">{t.none}</span>;
}

/** A search for the jobs of a type. */
export const jobsOf = (type: string, place: string): string => href(['jobs'], { place, search: `type:${quoted(type)}` });
export const deadOf = (type: string): string => href(['dead'], { search: `type:${quoted(type)}` });

export const seconds = (value: number | null | undefined): string => (value === null || value === undefined ? t.none : span(value * 1000));

/** "3 (12 %)" */
function failures(kind: Kind): JSX.Element | string {
  const failed = kind.rate?.failed ?? kind.failedLastMinute;
  const all = kind.rate ? kind.rate.completed + kind.rate.failed : kind.runsLastMinute;
  return failed === 0 ? '0' : <span class="bad">{`${count(failed)} (${Math.round((100 * failed) / Math.max(1, all))} %)`}</span>;
}

function number(n: number, to: string, isMore: boolean): JSX.Element | string {
  return n === 0 && !isMore ? '0' : <a href={to}>{atLeast(n, isMore)}</a>;
}

function columnsOf(more: ReadonlySet<string>, hasRates: boolean, mayChange: boolean, onChanged: () => void): Column<Kind>[] {
  const jobs = (place: string) => (row: Kind): string => jobsOf(row.type, place);
  return [
    { key: 'type', head: s.type, cell: (row) => <a href={href(['types', row.type])}>{row.type}</a> },
    { key: 'state', head: s.state, cell: (row) => <KindBadge kind={row} /> },
    { key: 'waiting', head: s.waiting, cell: (row) => number(row.waiting + row.external, jobs(row.external > 0 ? 'external' : 'executable')(row), more.has('executable') || more.has('external')), isNumber: true },
    { key: 'running', head: s.running, cell: (row) => count(row.running), isNumber: true },
    { key: 'timers', head: s.timers, cell: (row) => number(row.timers, jobs('timer')(row), more.has('timer')), isNumber: true, isMinor: true },
    { key: 'dead', head: s.dead, cell: (row) => number(row.dead, deadOf(row.type), more.has('dead')), isNumber: true },
    hasRates
      ? { key: 'done', head: s.lastHour, cell: (row: Kind) => count(row.rate?.completed ?? 0), isNumber: true, isMinor: true }
      : { key: 'runs', head: s.perMinute, cell: (row: Kind) => count(row.runsLastMinute), isNumber: true, isMinor: true },
    { key: 'failures', head: s.failures, cell: failures, isNumber: true },
    ...(hasRates ? [{ key: 'wait', head: s.wait, cell: (row: Kind) => <span class="nowrap">{`${seconds(row.rate?.waitP50)} / ${seconds(row.rate?.waitP99)}`}</span>, isMinor: true }] : []),
    { key: 'oldest', head: s.oldest, cell: (row) => <Time of={row.waiting + row.external > 0 ? row.oldest : null} />, isMinor: true },
    { key: 'limit', head: s.limit, cell: (row) => <LimitCell name={`type:${row.type}`} limit={row.limit} mayChange={mayChange} onChanged={onChanged} /> },
    ...(mayChange
      ? [
          {
            key: 'deed',
            head: <span class="unseen">{s.deeds}</span>,
            cell: (row: Kind) => <PauseButton name={`type:${row.type}`} type={row.type} limit={row.limit} mayChange={mayChange} onChanged={onChanged} isForWorkersOnly={row.external > 0 && !row.isServed} />,
          },
        ]
      : []),
  ];
}

export function TypeList(props: { place: Place }): JSX.Element {
  const { kinds, error, hasRates, reload, counts } = useKinds();
  const more = morePlaces(counts.data?.items ?? []);
  const [released, release] = useRelease(kinds);
  const changed = (): void => {
    release();
    reload();
  };
  const mayChange = useMayChange();
  const search = props.place.query.get('search') ?? '';
  const rows = (kinds ?? []).filter((kind) => kind.type.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <div class="filters">
        <Field label={s.search}>
          {(id) => <input id={id} type="search" value={search} onInput={(event) => changeQuery({ search: event.currentTarget.value }, 'replace')} />}
        </Field>
      </div>
      <Loaded isThere={kinds !== undefined} error={error} onRetry={reload} onCancel={counts.cancel}>
        <Looked found={counts} text={j.lookedPlaces} label={j.countAll} />
        <Table caption={s.types} rows={rows} columns={columnsOf(more, hasRates, mayChange, changed)} keyOf={(row) => row.type} hrefOf={(row) => href(['types', row.type])} empty={s.none} holdKey={`${released} ${search}`} />
      </Loaded>
    </>
  );
}

export function LimitList(): JSX.Element {
  const found = useList<Limit>('limits');
  const [released, release] = useRelease(found.data);
  const changed = (): void => {
    release();
    found.reload();
  };
  const [dialog, ask] = useDeeds(changed);
  const [name, setName] = useState('');
  const mayChange = useMayChange();
  const rows = found.data?.items ?? [];
  const isNew = /^(type|definition|tenant|category):./.test(name) && !rows.some((row) => row.limit === name);
  return (
    <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
      <Table
        caption={s.limits}
        rows={rows}
        keyOf={(row) => row.limit}
        empty={s.noLimits}
        holdKey={released}
        columns={[
          { key: 'limit', head: s.limitOf, cell: (row) => <code>{row.limit}</code> },
          { key: 'numbers', head: s.limit, cell: (row) => <LimitCell name={row.limit} limit={row} mayChange={mayChange} onChanged={changed} /> },
          { key: 'running', head: s.running, cell: (row) => count(row.running), isNumber: true },
          { key: 'waiting', head: s.waiting, cell: (row) => count(row.waiting), isNumber: true },
          ...(mayChange
            ? [
                {
                  key: 'deed',
                  head: <span class="unseen">{s.deeds}</span>,
                  cell: (row: Limit) => (
                    <button
                      onClick={() =>
                        ask({
                          title: s.removeTitle(row.limit),
                          label: s.removeLimit,
                          text: s.removeText,
                          isDangerous: true,
                          does: async (reason) => {
                            await send('DELETE', `limits/${segment(row.limit)}`, undefined, reason);
                            return s.removed(row.limit);
                          },
                        })
                      }
                    >
                      {s.removeLimit}
                    </button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {mayChange && (
        <Card title={s.add}>
          <Field label={s.limitOf} help={s.limitHelp}>
            {(id, help) => <input id={id} name="limit" aria-describedby={help} value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />}
          </Field>
          {isNew && <LimitCell key={name} name={name} limit={undefined} mayChange onChanged={changed} />}
        </Card>
      )}
      {dialog}
    </Loaded>
  );
}
