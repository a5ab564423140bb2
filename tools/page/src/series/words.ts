// Says a timer text as a person would: `0 30 2 ? * MON-FRI` is "weekdays 02:30". What cannot be said exactly is not
// said at all: then the text itself is shown.
import { readCron, readWeekdays, type Cron, type CronDays } from './cron.js';

const kDay = 86_400;
const kWeekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const kMonths = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const kNth = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

const and = (words: readonly string[]): string => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`);
const two = (n: number): string => String(n).padStart(2, '0');

function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}

/** 8:05 is "08:05"; seconds only where there are some. */
function clock(seconds: number): string {
  const rest = seconds % 60;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}${rest ? `:${two(rest)}` : ''}`;
}

/** Within an hour: ":05". */
const inHour = (seconds: number): string => `:${two(Math.floor(seconds / 60))}${seconds % 60 ? `:${two(seconds % 60)}` : ''}`;

function amount(n: number, unit: string): string {
  return n === 1 ? `every ${unit}` : `every ${n} ${unit}s`;
}

function pace(seconds: number): string {
  if (seconds % 3600 === 0) {
    return amount(seconds / 3600, 'hour');
  }
  return seconds % 60 === 0 ? amount(seconds / 60, 'minute') : amount(seconds, 'second');
}

interface TimesOfDay {
  words: string;
  /** "every 5 minutes", which needs no "every day". */
  isPace: boolean;
  /** So short that no zone makes a difference. */
  isEvenPace?: boolean;
}

function evenPace(times: readonly number[]): TimesOfDay | undefined {
  const step = kDay / times.length;
  const first = times[0] ?? 0;
  if (!times.every((time, i) => time === first + i * step)) {
    return undefined;
  }
  const isEvenPace = step <= 900 && 900 % step === 0;
  if (step > 3600) {
    return { words: `${pace(step)} from ${clock(first)}`, isPace: true };
  }
  const at = step === 3600 ? 'at' : 'from';
  return 3600 % step === 0 ? { words: first === 0 ? pace(step) : `${pace(step)} ${at} ${inHour(first)}`, isPace: true, isEvenPace } : undefined;
}

/** "every 15 minutes from 08:00 to 17:45"; at most three such stretches. */
function stretches(times: readonly number[], isEveryDay: boolean): TimesOfDay | undefined {
  const step = Math.min(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
  const runs: [number, number][] = [];
  for (const time of times) {
    const run = runs.at(-1);
    if (run && time - run[1] === step) {
      run[1] = time;
    } else {
      runs.push([time, time]);
    }
  }
  const [first, last] = [runs[0], runs.at(-1)];
  if (isEveryDay && first && last && runs.length > 1 && first[0] + kDay - last[1] === step) {
    runs.pop();
    runs[0] = [last[0], first[1]];
  }
  if (runs.length > 3 || runs.some(([from, to]) => from === to)) {
    return undefined;
  }
  return { words: `${pace(step)} ${and(runs.map(([from, to]) => `from ${clock(from)} to ${clock(to)}`))}`, isPace: true };
}

/** "every hour at :00, :07 and :14", in all hours or in a row of them. */
function eachHour(times: readonly number[]): TimesOfDay | undefined {
  const hours = [...new Set(times.map((time) => Math.floor(time / 3600)))];
  const within = times.filter((time) => Math.floor(time / 3600) === hours[0]).map((time) => time % 3600);
  const [first = 0, last = 0] = [hours[0], hours.at(-1)];
  if (within.length > 12 || last - first + 1 !== hours.length || hours.length < 3) {
    return undefined;
  }
  const range = hours.length === 24 ? '' : ` from ${two(first)} to ${two(last)}`;
  return { words: `every hour${range} at ${and(within.map(inHour))}`, isPace: true };
}

function timesWords(times: readonly number[], isEveryDay: boolean): TimesOfDay | undefined {
  const listed: TimesOfDay = { words: and(times.map(clock)), isPace: false };
  if (times.length <= 4) {
    return listed;
  }
  return evenPace(times) ?? stretches(times, isEveryDay) ?? eachHour(times) ?? (times.length <= 8 ? listed : undefined);
}

/** The values as one run, also around the end: its first and last. */
function runOf(values: readonly number[], first: number, cycle: number): [number, number] | undefined {
  const set = new Set(values);
  const before = (value: number): number => ((value - first + cycle - 1) % cycle) + first;
  const begins = values.filter((value) => !set.has(before(value)));
  const begin = begins[0];
  return begins.length === 1 && begin !== undefined && values.length >= 3 ? [begin, ((begin - first + values.length - 1) % cycle) + first] : undefined;
}

function weekdayWords(days: readonly number[]): string {
  const key = days.join('');
  if (key === '12345' || key === '06') {
    return key === '06' ? 'weekends' : 'weekdays';
  }
  const run = runOf(days, 0, 7);
  const monday = [...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  return days.length === 7 ? '' : run ? `${kWeekdays[run[0]]} to ${kWeekdays[run[1]]}` : and(monday.map((day) => `${kWeekdays[day]}s`));
}

function monthWords(months: readonly number[]): string {
  const run = runOf(months, 1, 12);
  return run ? `${kMonths[run[0] - 1]} to ${kMonths[run[1] - 1]}` : and(months.map((month) => kMonths[month - 1] ?? ''));
}

function monthDayWords(days: readonly number[]): string | undefined {
  const run = runOf(days, 1, 31);
  if (run && run[0] <= run[1]) {
    return `the ${ordinal(run[0])} to ${ordinal(run[1])}`;
  }
  return days.length <= 6 ? `the ${and(days.map(ordinal))}` : undefined;
}

/** "the 1st and the last day of each month" */
function ofMonth(days: CronDays, months: readonly number[]): string | undefined {
  const plain = days.monthDays ?? [];
  const hasSpecial = days.beforeLast.length + days.nearest.length > 0 || days.isLastWeekday;
  const only = months.length === 1 ? (kMonths[(months[0] ?? 1) - 1] ?? '') : undefined;
  if (only && !hasSpecial && plain.length > 0 && plain.length <= 3 && !runOf(plain, 1, 31)) {
    return `${and(plain.map(String))} ${only}`;
  }
  const [first = 0, second = 0] = plain;
  const step = second - first;
  const behind = `of ${months.length === 12 ? 'each month' : monthWords(months)}`;
  if (!hasSpecial && plain.length > 6 && step > 1 && plain.every((day, i) => day === first + i * step) && (plain.at(-1) ?? 0) + step > 31) {
    return `every ${ordinal(step)} day ${behind} from the ${ordinal(first)},`;
  }
  const listed = plain.length > 0 ? monthDayWords(plain) : '';
  if (listed === undefined) {
    return undefined;
  }
  const parts = [
    listed,
    ...days.nearest.map((day) => `the weekday nearest the ${ordinal(day)}`),
    ...[...days.beforeLast].reverse().map((day) => (day === 0 ? 'the last day' : day === 1 ? 'the day before the last' : `${day} days before the last`)),
    days.isLastWeekday ? 'the last weekday' : '',
    days.lastOf === undefined ? '' : `the last ${kWeekdays[days.lastOf]}`,
    days.nth ? `the ${kNth[days.nth[1]]} ${kWeekdays[days.nth[0]]}` : '',
  ];
  return `${and(parts.filter(Boolean))} ${behind}`;
}

/** Empty: every day. */
function dayWords({ days, months, years }: Cron): string | undefined {
  const areAllMonths = months.length === 12;
  const inMonths = areAllMonths ? '' : ` in ${monthWords(months)}`;
  const hasMonthDays = days.monthDays !== undefined && days.monthDays.length < 31;
  const isSpecial = days.beforeLast.length + days.nearest.length > 0 || days.isLastWeekday || days.lastOf !== undefined || days.nth !== undefined;
  let words: string | undefined;
  if (days.isEither) {
    const month = ofMonth({ ...days, weekdays: undefined }, months);
    words = days.monthDays?.length === 31 || days.weekdays?.length === 7 ? (inMonths ? `every day${inMonths}` : '') : month && `${month} and ${weekdayWords(days.weekdays ?? [])}${inMonths}`;
  } else if (isSpecial || hasMonthDays) {
    words = days.monthDays?.length === 31 ? '' : ofMonth(days, months);
  } else {
    const weekdays = weekdayWords(days.weekdays ?? [0, 1, 2, 3, 4, 5, 6]);
    words = weekdays || inMonths ? `${weekdays || 'every day'}${inMonths}` : '';
  }
  if (words === undefined || !years) {
    return words;
  }
  const run = years.length >= 3 && years.every((year, i) => year === (years[0] ?? 0) + i);
  return years.length > 6 && !run ? undefined : `${words || 'every day'}, ${run ? `${years[0]} to ${years.at(-1)}` : and(years.map(String))},`;
}

/** "Berlin" of Europe/Berlin. */
export function zoneWords(zone: string): string {
  return zone.startsWith('Etc/') ? zone : (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

function cronWords(text: string, zone: string): string | undefined {
  const cron = readCron(text);
  const days = cron && dayWords(cron);
  const times = cron && timesWords(cron.seconds, days === '');
  if (days === undefined || !times) {
    return undefined;
  }
  if (times.isEvenPace && days === '') {
    return times.words;
  }
  const all = times.isPace ? (days ? `${days.replace(/,$/, '')}, ${times.words}` : times.words) : `${days || 'every day'} ${times.words}`;
  return `${all}, ${zoneWords(zone)}`;
}

const kDuration = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;
const kSpoken = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/i;

/** "10 minutes", "1 day 2 hours"; `isDates` where days and more count on the wall clock. */
function durationWords(text: string): { words: string; isDates: boolean; isOne: boolean } | undefined {
  const iso = kDuration.exec(text)?.slice(1);
  const spoken = iso ? undefined : kSpoken.exec(text)?.slice(1);
  const numbers = iso ?? (spoken && [undefined, undefined, ...spoken]);
  const parts = (numbers ?? []).flatMap((n, i) => (n !== undefined && Number(n) > 0 ? [{ n: Number(n), unit: ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'][i] ?? '', isDate: i < 4 }] : []));
  const [only] = parts;
  if (!only || text === '') {
    return undefined;
  }
  const isOne = parts.length === 1 && only.n === 1;
  const words = isOne ? only.unit : parts.map(({ n, unit }) => `${n} ${unit}${n === 1 ? '' : 's'}`).join(' ');
  return { words, isDates: parts.some((part) => part.isDate), isOne };
}

/** Of exact ones: PT1H30M, 45m. */
function secondsOf(text: string): number {
  const [, hours, minutes, seconds] = /^(?:PT)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/i.exec(text) ?? [];
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
}

/** "2027-01-01 09:00", with its offset if it has one. */
function dateWords(text: string): { words: string; hasOffset: boolean } | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!found) {
    return undefined;
  }
  const [, day = '', time, seconds, fraction = '', offset] = found;
  const exact = Number(fraction) > 0 ? `:${seconds}${fraction}` : seconds && seconds !== '00' ? `:${seconds}` : '';
  return { words: `${day}${time ? ` ${time}${exact}` : ''}${offset ? (offset === 'Z' ? ' UTC' : ` ${offset}`) : ''}`, hasOffset: offset !== undefined };
}

/** R3/START/PERIOD/END, most of which may be missing. */
function cycleWords(text: string, zone: string): string | undefined {
  const found = /^R(\d*)\/(.+)$/i.exec(text);
  const parts = found?.[2]?.split('/') ?? [];
  const at = parts.findIndex((part) => /^P/i.test(part));
  const period = durationWords(parts[at] ?? '');
  const start = at === 1 ? dateWords(parts[0] ?? '') : undefined;
  const end = parts.length === at + 2 ? dateWords(parts[at + 1] ?? '') : undefined;
  if (!found || !period || found[1] === '0' || (at === 1 && !start) || at > 1 || (parts.length > at + 1 && !end) || parts.length > at + 2) {
    return undefined;
  }
  const times = found[1] ? (found[1] === '1' ? ', once' : `, ${found[1]} times`) : '';
  const isLocal = period.isDates || [start, end].some((date) => date && !date.hasOffset);
  return `every ${period.words}${start ? ` from ${start.words}` : ''}${end ? ` until ${end.words}` : ''}${times}${isLocal ? `, ${zoneWords(zone)}` : ''}`;
}

/** every 45m from 09:00 to 16:45 on MON-FRI 10 times */
function dailyWords(text: string, zone: string): string | undefined {
  const kTime = String.raw`(\d\d:\d\d(?::\d\d)?)`;
  const found = new RegExp(String.raw`^every (\S+)(?: from ${kTime})?(?: to ${kTime})?(?: on ([A-Z,-]+))?(?: (\d+) times)?$`, 'i').exec(text);
  const period = durationWords(found?.[1] ?? '');
  const days = found?.[4] === undefined ? [0, 1, 2, 3, 4, 5, 6] : readWeekdays(found[4]);
  if (!found || !period || period.isDates || !days) {
    return undefined;
  }
  const [from, to] = [found[2], found[3]];
  const isWhole = kDay % secondsOf(found[1] ?? '') === 0;
  const between = from && to ? ` between ${from} and ${to}` : from ? ` from ${from} on` : to ? ` until ${to}` : isWhole ? '' : ', anew each midnight';
  const on = weekdayWords(days);
  return `${on ? `${on}, ` : ''}every ${period.words}${between}${found[5] ? `, ${found[5]} times` : ''}, ${zoneWords(zone)}`;
}

/** `undefined`: nothing says it exactly. */
export function scheduleWords(text: string | null | undefined, zone = 'UTC'): string | undefined {
  const [, plain = '', named] = /^(.*?)(?:\s+DSTZONE:(\S+))?$/.exec((text ?? '').trim()) ?? [];
  const where = named ?? zone;
  const business = /^(\d+) business days?$/i.exec(plain);
  if (business) {
    return `once, after ${business[1]} business day${business[1] === '1' ? '' : 's'}`;
  }
  const once = /^P/i.test(plain) && !plain.includes('/') ? durationWords(plain) : undefined;
  if (once) {
    return `once, after ${once.isOne ? '1 ' : ''}${once.words}`;
  }
  return cycleWords(plain, where) ?? dailyWords(plain, where) ?? cronWords(plain, where);
}
