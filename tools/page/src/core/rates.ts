// What was run, span by span, as the service keeps it.

/** What a span or a type has run. */
export interface Counts {
  begun: number;
  completed: number;
  failed: number;
  dead: number;
  waitP50: number | null;
  waitP95: number | null;
  waitP99: number | null;
  runP50: number | null;
  runP95: number | null;
  runP99: number | null;
}

export interface Rate extends Counts {
  time: string;
  seconds: number;
}

/** The sums of a type; without a name: of those beyond the first hundred. */
export interface TypeRate extends Counts {
  type: string | null;
}

export type Last = 'PT10M' | 'PT1H' | 'PT24H';

export const kSeconds: Record<Last, number> = { PT10M: 600, PT1H: 3600, PT24H: 86_400 };
const kSteps: Record<Last, number> = { PT10M: 1, PT1H: 60, PT24H: 60 };

export interface Span {
  /** Seconds since 1970. */
  time: number;
  seconds: number;
  /** Absent where nothing was run. */
  rate?: Rate;
}

/** Spans in which nothing happened are left out by the service: here they stand as such. */
export function filled(rates: readonly Rate[], last: Last): Span[] {
  const step = rates.reduce((least, rate) => Math.min(least, rate.seconds), rates[0]?.seconds ?? kSteps[last]) || kSteps[last];
  const byStep = new Map<number, Rate>();
  for (const rate of rates) {
    const at = Math.floor(Date.parse(rate.time) / 1000 / step);
    const same = byStep.get(at);
    byStep.set(at, same ? { ...rate, begun: same.begun + rate.begun, completed: same.completed + rate.completed, failed: same.failed + rate.failed, dead: same.dead + rate.dead } : rate);
  }
  // A short span is there within a second after its end: until then it is unknown, and not 0.
  const unknown = step < 60 ? 2 : 0;
  const end = Math.max(Math.floor(Date.now() / 1000 / step) - unknown, ...byStep.keys());
  const all: Span[] = [];
  for (let at = end - Math.ceil(kSeconds[last] / step) + 1; at <= end; at++) {
    const rate = byStep.get(at);
    all.push(rate ? { time: Date.parse(rate.time) / 1000, seconds: rate.seconds, rate } : { time: at * step, seconds: step });
  }
  return all;
}
