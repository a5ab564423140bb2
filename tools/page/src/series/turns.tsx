// The turns that a text names: as a list in both zones, and on a line of time with the changes of clocks.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useList, useResource, type Resource } from '../core/resource.js';
import type { ApiError } from '../core/api.js';
import { ago } from '../core/time.js';
import { s } from '../strings/series.js';
import { Badge, Empty } from '../ui/parts.js';
import { calendarOf } from './calendar.js';
import type { Calendar, Series } from './types.js';
import { clockChanges, isZone, offsetOf, readerZone, shiftWords, wallWords } from './zone.js';

export interface Turn {
  time: string;
  isLeftOut: boolean;
}

const kTurns = 10;
/** So many are looked through where a calendar leaves some out. */
const kLookedThrough = 400;

/** The text as it goes on: without a number of turns, and with the start of its grid. */
export function gridText(repeat: string, start: string | null): string {
  const cycle = /^R\d*\/(.+)$/i.exec(repeat);
  if (!cycle) {
    return repeat.replace(/\s+\d+ times$/i, '').replace(/\s+DSTZONE:\S+$/, '');
  }
  const rest = cycle[1] ?? '';
  return /^P/i.test(rest) && start ? `R/${start}/${rest}` : `R/${rest}`;
}

interface Turns {
  turns: readonly Turn[] | undefined;
  error: ApiError | undefined;
  /** Its lines are not understood here, so that some of the turns may be left out. */
  isUnsure: boolean;
}

/** The next ten turns of a series. The first is the service's own; the others are asked for. */
export function useTurns(series: Series | undefined): Turns {
  const calendars = useList<Calendar>(series?.calendar ? 'calendars' : undefined, {}, { every: 0 });
  const isOver = !series?.repeat || series.state === 'ended' || !series.nextFire;
  const asked: Resource<{ time: string }[]> = useResource(
    isOver ? undefined : 'timers/next',
    { expression: gridText(series?.repeat ?? '', series?.start ?? null), zone: series?.zone, dst: series?.dst, after: series?.nextFire, count: series?.calendar ? kLookedThrough : kTurns - 1 },
    { every: 0 },
  );
  return useMemo(() => {
    if (!series || isOver) {
      return { turns: series ? [] : undefined, error: undefined, isUnsure: false };
    }
    const texts = new Map((calendars.data?.items ?? []).map((each) => [each.calendar, each.text]));
    const excludes = series.calendar ? calendarOf(series.calendar, texts) : undefined;
    const most = Math.min(kTurns, series.totalTurns === null ? kTurns : Math.max(1, series.totalTurns - series.turnsTaken));
    const found: Turn[] = [{ time: series.nextFire ?? '', isLeftOut: false }];
    let kept = 1;
    for (const { time } of asked.data ?? []) {
      if (kept === most || (series.end && new Date(time) > new Date(series.end))) {
        break;
      }
      const isLeftOut = excludes?.(new Date(time).getTime()) ?? false;
      kept += isLeftOut ? 0 : 1;
      found.push({ time, isLeftOut });
    }
    while (found.at(-1)?.isLeftOut) {
      found.pop();
    }
    return { turns: asked.data || asked.error ? found : undefined, error: asked.error, isUnsure: series.calendar !== null && !excludes && calendars.data !== undefined };
  }, [series, isOver, calendars.data, asked.data, asked.error]);
}

export function TurnList(props: { turns: readonly Turn[]; zone: string; calendar?: string | null }): JSX.Element {
  const here = readerZone();
  const zone = isZone(props.zone) ? props.zone : 'UTC';
  const isOther = zone !== here;
  let before: number | undefined;
  if (props.turns.length === 0) {
    return <Empty>{s.noTurns}</Empty>;
  }
  // Many left out in a row are told by their number.
  const shown = props.turns.filter((turn, i) => !turn.isLeftOut || !(props.turns[i - 1]?.isLeftOut && props.turns[i - 2]?.isLeftOut));
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={s.nextTurns}>
      <table class="turns">
        <caption class="unseen">{s.nextTurns}</caption>
        <thead>
          <tr>
            <th scope="col">{s.inZone(zone)}</th>
            {isOther && <th scope="col">{s.here(here)}</th>}
            <th scope="col">{s.when}</th>
            <th scope="col">{s.note}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, isLeftOut }) => {
            const offset = offsetOf(new Date(time).getTime(), zone);
            const shift = before === undefined ? 0 : offset - before;
            before = offset;
            return (
              <tr key={time} class={isLeftOut ? 'left-out' : 'turn'}>
                <td class={`nowrap ${isLeftOut ? 'left-out-row' : ''}`}>
                  <time dateTime={time}>{wallWords(time, zone)}</time>
                </td>
                {isOther && <td class={`nowrap ${isLeftOut ? 'left-out-row' : ''}`}>{wallWords(time, here)}</td>}
                <td class="nowrap">{ago(time)}</td>
                <td>
                  {isLeftOut && s.leftOut(props.calendar ?? '')}
                  {shift !== 0 && <Badge tone="warn">{s.clocksBefore(shiftWords(shift))}</Badge>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const kMostChanges = 6;

export function TimeLine(props: { turns: readonly Turn[]; zone: string; previous?: string | null }): JSX.Element | null {
  const now = Date.now();
  const times = props.turns.map((turn) => new Date(turn.time).getTime());
  const last = times.at(-1);
  if (last === undefined) {
    return null;
  }
  const past = props.previous ? new Date(props.previous).getTime() : undefined;
  const first = times[0] ?? now;
  const isFar = first - now > last - first;
  const from = isFar ? first : Math.min(now, first, past !== undefined && now - past < (last - now) / 2 ? past : now);
  const length = Math.max(1, last - from);
  const at = (time: number): { left: string } => ({ left: `${((100 * (time - from)) / length).toFixed(2)}%` });
  const all = clockChanges(props.zone, from, last);
  const changes = all.length > kMostChanges ? [] : all;
  return (
    <div class="turn-line" role="img" aria-label={s.timeline(times.length, all.length)}>
      <div class="axis" />
      {changes.map((change) => (
        <div key={change.time} class={`change ${change.time - from > length / 2 ? 'is-late' : ''}`} style={at(change.time)} title={wallWords(change.time, props.zone)}>
          <span>{s.clocks(shiftWords(change.minutes))}</span>
        </div>
      ))}
      {past !== undefined && past >= from && <div class="turn past" style={at(past)} title={wallWords(past, props.zone)} />}
      {props.turns.map((turn, i) => (
        <div key={turn.time} class={`turn ${turn.isLeftOut ? 'left-out' : ''}`} style={at(times[i] ?? 0)} title={wallWords(turn.time, props.zone)} />
      ))}
      <span class="end">{from === now ? s.now : wallWords(from, props.zone)}</span>
      <span class="end to">{wallWords(last, props.zone)}</span>
    </div>
  );
}
