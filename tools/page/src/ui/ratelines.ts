// The lines that charts of rates have, on home and of a type.
import type { Span } from '../core/rates.js';
import { j } from '../strings/jobs.js';
import type { Line } from './chart.js';

/** What began and ended in each span, as so many in this number of seconds. */
export function runLines(spans: readonly Span[], seconds: number): Line[] {
  const of = (name: 'begun' | 'completed' | 'failed' | 'dead'): number[] => spans.map((each) => ((each.rate?.[name] ?? 0) * seconds) / each.seconds);
  return [
    { label: j.begun, colour: '--blue', values: of('begun') },
    { label: j.completed, colour: '--good', values: of('completed') },
    { label: j.failed, colour: '--warn', values: of('failed') },
    { label: j.died, colour: '--bad', values: of('dead') },
  ];
}

/** Waits or run times. */
export function quantileLines(spans: readonly Span[], what: 'wait' | 'run'): Line[] {
  const of = (name: 'P50' | 'P95' | 'P99'): (number | null)[] => spans.map((each) => each.rate?.[`${what}${name}`] ?? null);
  return [
    { label: 'p50', colour: '--good', values: of('P50') },
    { label: 'p95', colour: '--blue', values: of('P95') },
    { label: 'p99', colour: '--violet', values: of('P99') },
  ];
}
