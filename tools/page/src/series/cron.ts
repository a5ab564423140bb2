// Reads cron texts, Quartz's of six or seven fields and Unix's of five, into the times and days that they mean. What is
// wrong is told by the service; here it is `undefined`.

export interface CronDays {
  /** Undefined: the other days decide. */
  monthDays: readonly number[] | undefined;
  /** 0 is Sunday. */
  weekdays: readonly number[] | undefined;
  /** `L-3`: so many days before the last of the month. */
  beforeLast: readonly number[];
  /** `15W`: the weekday nearest to it. */
  nearest: readonly number[];
  /** `LW` */
  isLastWeekday: boolean;
  /** `6L`: the last one of the month. */
  lastOf: number | undefined;
  /** `6#3`: day of the week and which one. */
  nth: readonly [number, number] | undefined;
  /** Unix: a day that fits one of the two is enough. */
  isEither: boolean;
}

export interface Cron {
  /** Seconds since midnight, ascending. */
  seconds: readonly number[];
  days: CronDays;
  months: readonly number[];
  /** Undefined: all. */
  years: readonly number[] | undefined;
}

interface Field {
  first: number;
  last: number;
  /** Ranges go on behind the end after so many values; 0: they do not. */
  cycle: number;
  names?: readonly string[];
  firstNamed?: number;
}

const kWeekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const kMonths = ['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'];
const kSixty: Field = { first: 0, last: 59, cycle: 60 };
const kHour: Field = { first: 0, last: 23, cycle: 24 };
const kDay: Field = { first: 1, last: 31, cycle: 31 };
const kMonth: Field = { first: 1, last: 12, cycle: 12, names: kMonths, firstNamed: 1 };
const kQuartzWeekday: Field = { first: 1, last: 7, cycle: 7, names: kWeekdays, firstNamed: 1 };
const kUnixWeekday: Field = { first: 0, last: 7, cycle: 7, names: kWeekdays, firstNamed: 0 };
const kYear: Field = { first: 1970, last: 2199, cycle: 0 };

const kShort: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

function valueOf(text: string, field: Field): number | undefined {
  const named = field.names?.findIndex((name) => text === name || text === name.slice(0, 3)) ?? -1;
  const value = named >= 0 ? named + (field.firstNamed ?? 0) : /^\d+$/.test(text) ? Number(text) : NaN;
  return value >= field.first && value <= field.last ? value : undefined;
}

/** `*`, `5`, `8-18`, each with a step or without. */
function itemOf(text: string, field: Field): number[] | undefined {
  const [whole = '', stepText, ...more] = text.split('/');
  const step = stepText === undefined ? 1 : /^\d+$/.test(stepText) ? Number(stepText) : 0;
  if (step < 1 || more.length > 0 || text === '') {
    return undefined;
  }
  const largest = field.cycle > 0 ? field.first + field.cycle - 1 : field.last;
  let from: number | undefined = field.first;
  let to: number | undefined = largest;
  let canWrap = false;
  if (whole !== '*' && whole !== '') {
    const [begin = '', end, ...rest] = whole.split('-');
    from = valueOf(begin, field);
    to = end !== undefined ? valueOf(end, field) : stepText !== undefined ? largest : from;
    canWrap = end !== undefined && field.cycle > 0;
    if (rest.length > 0) {
      return undefined;
    }
  }
  if (from === undefined || to === undefined || (to < from && !canWrap)) {
    return undefined;
  }
  const found: number[] = [];
  for (let value = from; value <= to + (to < from ? field.cycle : 0); value += step) {
    found.push(field.cycle > 0 ? ((value - field.first) % field.cycle) + field.first : value);
  }
  return found;
}

const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

function listOf(text: string, field: Field): number[] | undefined {
  const items = text.split(',').map((item) => itemOf(item, field));
  return items.some((item) => item === undefined) ? undefined : ascending(items.flatMap((item) => item ?? []));
}

const kNoDays: CronDays = { monthDays: undefined, weekdays: undefined, beforeLast: [], nearest: [], isLastWeekday: false, lastOf: undefined, nth: undefined, isEither: false };

function quartzMonthDays(text: string): Partial<CronDays> | undefined {
  const plain: number[] = [];
  const beforeLast: number[] = [];
  const nearest: number[] = [];
  let isLastWeekday = false;
  for (const item of text.split(',')) {
    const last = /^L(?:-(\d+))?$/.exec(item);
    const weekday = /^(\d+)W$/.exec(item);
    if (last) {
      beforeLast.push(Number(last[1] ?? 0));
    } else if (item === 'LW') {
      isLastWeekday = true;
    } else if (weekday) {
      nearest.push(Number(weekday[1]));
    } else {
      const found = itemOf(item, kDay);
      if (!found) {
        return undefined; // `L-3W` among them: it has no short words.
      }
      plain.push(...found);
    }
  }
  return { monthDays: ascending(plain), beforeLast: ascending(beforeLast), nearest: ascending(nearest), isLastWeekday };
}

function quartzWeekdays(text: string): Partial<CronDays> | undefined {
  if (text === 'L') {
    return { weekdays: [6] };
  }
  const special = /^([A-Z]+|\d)(?:L|#([1-5]))$/.exec(text);
  const day = special && valueOf(special[1] ?? '', kQuartzWeekday);
  if (special && day) {
    return special[2] === undefined ? { lastOf: day - 1 } : { nth: [day - 1, Number(special[2])] };
  }
  const found = listOf(text, kQuartzWeekday);
  return found && { weekdays: found.map((each) => each - 1) };
}

function quartzDays(monthDay: string, weekday: string): CronDays | undefined {
  if ((monthDay === '?') === (weekday === '?')) {
    return undefined;
  }
  const found = monthDay === '?' ? quartzWeekdays(weekday) : quartzMonthDays(monthDay);
  return found && { ...kNoDays, ...found };
}

function unixDays(monthDay: string, weekday: string): CronDays | undefined {
  const monthDays = listOf(monthDay, kDay);
  const weekdays = listOf(weekday, kUnixWeekday);
  if (!monthDays || !weekdays) {
    return undefined;
  }
  const areAllDays = monthDays.length === 31;
  const areAllWeekdays = weekdays.length === 7;
  const isEither = !monthDay.startsWith('*') && !weekday.startsWith('*');
  if (!isEither && !areAllDays && !areAllWeekdays) {
    return undefined; // Both must fit: `*/2 * MON`. Nothing short says that.
  }
  return isEither
    ? { ...kNoDays, monthDays, weekdays, isEither }
    : { ...kNoDays, monthDays: areAllWeekdays ? monthDays : undefined, weekdays: areAllWeekdays ? undefined : weekdays };
}

export function readCron(text: string): Cron | undefined {
  const fields = (kShort[text.trim().toLowerCase()] ?? text).trim().toUpperCase().split(/\s+/);
  const isUnix = fields.length === 5;
  if (!isUnix && fields.length !== 6 && fields.length !== 7) {
    return undefined;
  }
  const [second = '', minute = '', hour = '', monthDay = '', month = '', weekday = '', year = '*'] = isUnix ? ['0', ...fields] : fields;
  const seconds = listOf(second, kSixty);
  const minutes = listOf(minute, kSixty);
  const hours = listOf(hour, kHour);
  const months = listOf(month, kMonth);
  const years = year === '*' ? undefined : listOf(year, kYear);
  const days = isUnix ? unixDays(monthDay, weekday) : quartzDays(monthDay, weekday);
  if (!seconds || !minutes || !hours || !months || !days || (year !== '*' && !years)) {
    return undefined;
  }
  const times = hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => (h * 60 + m) * 60 + s)));
  return { seconds: times, days, months, years };
}

/** `FRI-MON,WED` as days of the week, 0 is Sunday. */
export function readWeekdays(text: string): readonly number[] | undefined {
  return listOf(text.toUpperCase(), { ...kUnixWeekday, last: 6 });
}
