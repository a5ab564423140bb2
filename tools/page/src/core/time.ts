// Times and durations in words.
import { locale } from '../strings.js';

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

const kUnits: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** "in 3 hr.", "2 days ago" */
export function ago(time: string | Date, now = Date.now()): string {
  const distance = new Date(time).getTime() - now;
  for (const [unit, length] of kUnits) {
    if (Math.abs(distance) >= length || unit === 'second') {
      return relative.format(Math.round(distance / length), unit);
    }
  }
  return '';
}

/** In the reader's zone, or another one. */
export function exactly(time: string | Date, zone?: string): string {
  const format = zone ? new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone: zone }) : exact;
  return format.format(new Date(time));
}

/** "340 ms", "12.5 s", "3 min 20 s", "2 h 5 min", "4 d 3 h" */
export function span(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 1000) {
    return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
  }
  const s = ms / 1000;
  if (s < 60) {
    return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  }
  const [big, small, ratio] = s < 3600 ? ['min', 's', 60] as const : s < 86_400 ? ['h', 'min', 60] as const : ['d', 'h', 24] as const;
  const unit = big === 'min' ? 1 : big === 'h' ? 60 : 3600;
  const whole = Math.round(s / unit);
  return `${Math.floor(whole / ratio)} ${big} ${whole % ratio} ${small}`;
}

/** "12,345", "1.2M" beyond a hundred million */
export const count = (n: number): string =>
  new Intl.NumberFormat(locale, n >= 1e8 ? { notation: 'compact', maximumFractionDigits: 1 } : {}).format(n);
