// One series: what it says, its next turns, its jobs, how past turns ended, and all that may be done to it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment } from '../core/api.js';
import { href } from '../core/router.js';
import { useOptional } from '../core/optional.js';
import { useList, useResource } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { span } from '../core/time.js';
import { Looked } from '../jobs/looked.js';
import { useSoonList } from '../jobs/seldom.js';
import { useDeeds } from '../operate/deeds.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { s } from '../strings/series.js';
import { Badge, Card, Copy, Facts as FactList, Loaded, Time, View } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { seriesDeed, type SeriesVerb } from './deeds.js';
import { Schedule, StateBadge } from './list.js';
import { Reschedule } from './reschedule.js';
import { TimeLine, TurnList, useTurns } from './turns.js';
import type { Series } from './types.js';

interface SeriesJob {
  id: string;
  place: string;
  dueDate: string | null;
  failedTime: string | null;
  exceptionMessage: string | null;
  lockOwner: string | null;
}

export function SeriesDetail(props: { name: string }): JSX.Element {
  const found = useResource<Series>(`series/${segment(props.name)}`);
  const series = found.data;
  return (
    <View
      title={props.name}
      aside={
        <>
          {series && <StateBadge series={series} />}
          {series && <Deeds series={series} onDone={found.reload} />}
        </>
      }
    >
      <p>
        <a href={href(['series'])}>{`← ${t.nav.series}`}</a>
      </p>
      <Loaded isThere={series !== undefined} error={found.error} onRetry={found.reload}>
        {series && (
          <>
            <Facts series={series} />
            <NextTurns series={series} />
            <Jobs series={series} />
            {series.handlerType && <Past series={series} type={series.handlerType} />}
          </>
        )}
      </Loaded>
    </View>
  );
}

function Deeds(props: { series: Series; onDone: () => void }): JSX.Element | null {
  const { series, onDone } = props;
  const [dialog, ask] = useDeeds(onDone);
  const [isRescheduled, setRescheduled] = useState(false);
  if (!useMayChange()) {
    return null;
  }
  const button = (verb: SeriesVerb, words: string): JSX.Element => <button onClick={() => ask(seriesDeed(verb, [series.series]))}>{words}</button>;
  return (
    <>
      {series.state === 'ended' ? (
        button('rm', s.remove)
      ) : (
        <>
          {series.state === 'paused' ? button('resume', s.resume) : button('pause', s.pause)}
          {button('fire', s.fire)}
          <button onClick={() => setRescheduled(true)}>{s.reschedule}</button>
          {button('end', s.end)}
        </>
      )}
      {dialog}
      {isRescheduled && <Reschedule series={series} onDone={onDone} onClose={() => setRescheduled(false)} />}
    </>
  );
}

function Facts(props: { series: Series }): JSX.Element {
  const { series } = props;
  const options = [
    series.overlap ? '' : s.noOverlap,
    series.keepData ? s.keepData : '',
    series.recovery ? '' : s.noRecovery,
    series.stopOnDeadLetter ? s.stopOnDead : '',
  ].filter(Boolean);
  const facts: [string, JSX.Element | string | null][] = [
    [s.inWords, <Schedule repeat={series.repeat} zone={series.zone} />],
    [
      s.text,
      <>
        <code>{series.repeat}</code> <Copy text={series.repeat ?? ''} />
      </>,
    ],
    [s.description, series.description],
    [s.type, series.handlerType && <a href={href(['types', series.handlerType])}>{series.handlerType}</a>],
    [s.group, <a href={href(['series'], { group: series.group })}>{series.group}</a>],
    [s.zone, series.zone],
    [s.dst, s.dstRules[series.dst] ?? series.dst],
    [s.calendar, series.calendar && <a href={href(['series'], { show: 'calendars', calendar: series.calendar })}>{series.calendar}</a>],
    [s.misfire, `${series.misfire ?? s.misfireDefault}${series.misfireThreshold ? `, ${s.misfireThreshold(series.misfireThreshold)}` : ''}`],
    [s.start, series.start && <Time of={series.start} zone={series.zone} />],
    [s.endDate, series.end && <Time of={series.end} zone={series.zone} />],
    [s.turns, series.totalTurns === null ? String(series.turnsTaken) : s.of(series.turnsTaken, series.totalTurns)],
    [s.retries, String(series.retries)],
    [s.options, options.join(', ')],
    [s.previous, <Time of={series.previousFire} zone={series.zone} />],
  ];
  return (
    <Card title={s.facts} {...(series.unreadableSeries ? { tone: 'bad' as const } : {})}>
      {series.unreadableSeries && <p class="bad">{series.unreadableSeries}</p>}
      <FactList of={facts} />
    </Card>
  );
}

function NextTurns(props: { series: Series }): JSX.Element {
  const { series } = props;
  const { turns, error, isUnsure } = useTurns(series);
  return (
    <Card title={s.nextTurns}>
      <Loaded isThere={turns !== undefined} error={error}>
        {turns && (
          <>
            {series.state === 'paused' && turns.length > 0 && <p class="quiet">{s.pausedTurns}</p>}
            {isUnsure && <p class="warn">{s.calendarUnread(series.calendar ?? '')}</p>}
            <TimeLine turns={turns} zone={series.zone} previous={series.previousFire} />
            <TurnList turns={turns} zone={series.zone} calendar={series.calendar} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** No index finds them among others, but the turn is known. */
function Jobs(props: { series: Series }): JSX.Element {
  const { series, turnId } = props.series;
  const found = useSoonList<SeriesJob>('jobs', { place: 'all', series, limit: 50 });
  const turn = useResource<SeriesJob>(turnId ? `jobs/${segment(turnId)}` : undefined).data;
  const others = (found.data?.items ?? []).filter((each) => each.id !== turn?.id);
  return (
    <Card title={s.jobs}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Looked found={found} text={j.lookedSome} label={j.searchAll} />
        <Table
          caption={s.jobs}
          rows={turn ? [turn, ...others] : others}
          keyOf={(row) => row.id}
          hrefOf={(row) => href(['job', row.id])}
          empty={s.noJobs}
          columns={[
            { key: 'id', head: s.job, cell: (row) => <a href={href(['job', row.id])}>{row.id}</a> },
            { key: 'place', head: s.place, cell: (row) => <Badge tone={row.place === 'dead' ? 'bad' : row.lockOwner ? 'good' : 'plain'}>{t.places[row.place as keyof typeof t.places] ?? row.place}</Badge> },
            { key: 'due', head: s.due, cell: (row) => <Time of={row.dueDate} /> },
            { key: 'message', head: s.message, cell: (row) => <span class="message">{row.exceptionMessage ?? ''}</span>, isMinor: true },
          ]}
        />
      </Loaded>
    </Card>
  );
}

interface Run {
  id: string;
  time: string;
  isFailure: boolean;
  attempt: number | null;
  took: number | null;
  message: string | null;
}

interface LogLine {
  jobId: string;
  time: string;
  event: string;
  attempt: number | null;
  durationMs: number | null;
  exceptionMessage: string | null;
}

interface DoneJob {
  id: string;
  ended: string;
  attempt: number | null;
  durationMs: number | null;
  message: string | null;
  series?: string | null;
}

/** What ended, of this series where it can be told, else of its type. */
function Past(props: { series: Series; type: string }): JSX.Element {
  const done = useOptional<{ items: DoneJob[] }>('jobs', { place: 'done', type: props.type, limit: 50 }, 2);
  const log = useOptional<LogLine[]>('log', { type: props.type, event: 'succeeded,failed', limit: 50 }, 4);
  const others = useList<Series>('series', { limit: 1000 }, { every: 15 });
  const isShared = (others.data?.items ?? []).some((each) => each.handlerType === props.type && each.series !== props.series.series);
  const mine = (done.data?.items ?? []).filter((each) => each.series === undefined || each.series === props.series.series);
  const runs: Run[] = [
    ...mine.map((each) => ({ id: each.id, time: each.ended, isFailure: false, attempt: each.attempt, took: each.durationMs, message: each.message })),
    ...(log.data ?? []).map((each) => ({ id: each.jobId, time: each.time, isFailure: each.event === 'failed', attempt: each.attempt, took: each.durationMs, message: each.exceptionMessage })),
  ];
  const seen = new Set<string>();
  const rows = runs
    .filter((run) => {
      const key = `${run.id} ${run.attempt} ${run.isFailure}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => b.time.localeCompare(a.time))
    .slice(0, 20);
  return (
    <Card title={isShared && !mine.some((each) => each.series) ? s.pastShared : s.past}>
      <Table
        caption={s.past}
        rows={rows}
        keyOf={(row) => `${row.id} ${row.time}`}
        hrefOf={(row) => href(['job', row.id])}
        empty={s.pastNone}
        columns={[
          { key: 'ended', head: s.ended, cell: (row) => <Time of={row.time} zone={props.series.zone} /> },
          { key: 'how', head: s.how, cell: (row) => <Badge tone={row.isFailure ? 'bad' : 'good'}>{row.isFailure ? s.failed : s.succeeded}</Badge> },
          { key: 'attempt', head: s.attempt, cell: (row) => row.attempt ?? t.none, isNumber: true, isMinor: true },
          { key: 'took', head: s.took, cell: (row) => (row.took === null ? t.none : span(row.took)), isNumber: true },
          { key: 'job', head: s.job, cell: (row) => <a href={href(['job', row.id])}>{row.id}</a> },
          { key: 'message', head: s.message, cell: (row) => <span class="message">{row.message ?? ''}</span>, isMinor: true },
        ]}
      />
    </Card>
  );
}

