// Wall clocks: what they show, and when they are changed.
import { locale } from '../strings.js';

export const readerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export interface Wall {
  year: number;
  month: number;
  day: number;
  /** Seconds since midnight. */
  seconds: number;
  /** 0 is Sunday. */
  weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' });
    formats.set(zone, format);
  }
  return format;
}

/** Throws RangeError if there is no such zone. */
export function wallOf(time: number, zone: string): Wall {
  const parts: Record<string, number> = {};
  for (const part of formatOf(zone).formatToParts(time)) {
    parts[part.type] = Number(part.value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, seconds: (hour * 60 + minute) * 60 + second, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
}

/** How far the zone's wall clock is ahead of UTC, in minutes. */
export function offsetOf(time: number, zone: string): number {
  const wall = wallOf(time, zone);
  return Math.round((Date.UTC(wall.year, wall.month - 1, wall.day) + wall.seconds * 1000 - time) / 60_000);
}

export interface ClockChange {
  time: number;
  /** Forward is more than 0. */
  minutes: number;
}

const kHour = 3_600_000;

/** All of them between two instants; none if the stretch is so long that they would be a crowd. */
export function clockChanges(zone: string, from: number, to: number): ClockChange[] {
  const found: ClockChange[] = [];
  const step = 24 * kHour;
  if (!isZone(zone) || (to - from) / step > 4000) {
    return found;
  }
  let before = offsetOf(from, zone);
  for (let time = from; time < to; time += step) {
    const end = Math.min(time + step, to);
    const after = offsetOf(end, zone);
    if (after !== before) {
      let [low, high] = [time, end];
      while (high - low > 1000) {
        const middle = Math.floor((low + high) / 2);
        [low, high] = offsetOf(middle, zone) === before ? [middle, high] : [low, middle];
      }
      found.push({ time: Math.round(high / 60_000) * 60_000, minutes: after - before });
      before = after;
    }
  }
  return found;
}

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** "+1 h", "−30 min" */
export function shiftWords(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${size % 60 === 0 ? `${size / 60} h` : `${size} min`}`;
}

/** "Mon 29 Mar 2027, 02:30" and its offset. */
export function wallWords(time: string | number, zone: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: isZone(zone) ? zone : 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'shortOffset',
  });
  return format.format(new Date(time)).replace(/(\d\d:\d\d):00(?=\D|$)/, '$1');
}
