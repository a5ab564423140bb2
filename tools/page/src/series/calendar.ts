// Which times a calendar leaves out, as its lines say. What is not understood here is `undefined`: nothing is guessed.
import { readCron, type Cron } from './cron.js';
import { isZone, wallOf, type Wall } from './zone.js';

type Excludes = (wall: Wall) => boolean;

const kNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const two = (n: number): string => String(n).padStart(2, '0');

function secondsOf(text: string): number | undefined {
  const found = /^(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  return found ? (Number(found[1]) * 60 + Number(found[2])) * 60 + Number(found[3] ?? 0) : undefined;
}

function daily(words: readonly string[]): Excludes | undefined {
  const isInverted = words[0] === 'except';
  const [from, to] = (words[isInverted ? 1 : 0] ?? '').split('-').map(secondsOf);
  if (from === undefined || to === undefined) {
    return undefined;
  }
  return (wall) => (wall.seconds >= from && wall.seconds <= to) !== isInverted;
}

/** Only of days that are numbers or days of the week. */
function cron(text: string): Excludes | undefined {
  const read: Cron | undefined = readCron(text);
  const days = read?.days;
  if (!read || !days || days.beforeLast.length + days.nearest.length > 0 || days.isLastWeekday || days.lastOf !== undefined || days.nth) {
    return undefined;
  }
  const times = new Set(read.seconds);
  return (wall) => {
    const isDay = days.monthDays?.includes(wall.day);
    const isWeekday = days.weekdays?.includes(wall.weekday);
    const fits = days.isEither ? isDay === true || isWeekday === true : isDay !== false && isWeekday !== false;
    return fits && times.has(wall.seconds) && read.months.includes(wall.month) && (read.years?.includes(wall.year) ?? true);
  };
}

function lineOf(kind: string, words: readonly string[]): Excludes | undefined {
  const all = new Set(words.map((word) => word.toUpperCase()));
  switch (kind) {
    case 'holidays':
      return (wall) => all.has(`${wall.year}-${two(wall.month)}-${two(wall.day)}`);
    case 'annual':
      return (wall) => all.has(`${two(wall.month)}-${two(wall.day)}`);
    case 'weekly':
      return words.every((word) => kNames.includes(word.toUpperCase())) ? (wall) => all.has(kNames[wall.weekday] ?? '') : undefined;
    case 'monthly':
      return (wall) => words.map(Number).includes(wall.day);
    case 'daily':
      return daily(words);
    case 'cron':
      return cron(words.join(' '));
    default:
      return undefined;
  }
}

/** Whether a time is left out by the calendar `name`, or by one that it is based on. */
export function calendarOf(name: string, texts: ReadonlyMap<string, string>): ((time: number) => boolean) | undefined {
  const all: { zone: string; excludes: Excludes }[] = [];
  const seen = new Set<string>();
  for (let next: string | undefined = name; next !== undefined; ) {
    const text = texts.get(next);
    if (text === undefined || seen.has(next)) {
      return undefined;
    }
    seen.add(next);
    next = undefined;
    let zone = 'UTC';
    for (const line of text.split(/[\n;]/).map((each) => each.trim()).filter(Boolean)) {
      const [kind = '', ...words] = line.split(/\s+/);
      if (kind === 'zone') {
        zone = words[0] ?? '';
        if (!isZone(zone)) {
          return undefined;
        }
      } else if (kind === 'based') {
        next = words[1];
      } else {
        const excludes = lineOf(kind, words);
        if (!excludes) {
          return undefined;
        }
        all.push({ zone, excludes });
      }
    }
  }
  return (time) => all.some(({ zone, excludes }) => excludes(wallOf(time, zone)));
}
