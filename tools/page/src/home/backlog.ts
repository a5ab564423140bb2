// How the backlog moves, in words.
import type { Backlog } from '../core/live.js';
import { span } from '../core/time.js';
import { j } from '../strings/jobs.js';

/** When there will be nothing left, if all goes on as in the last minute. */
export function backlogInWords(jobs: number, backlog: Backlog | undefined): { text: string; tone: 'good' | 'warn' | 'plain' } {
  const growth = backlog?.growthPerSecond ?? null;
  if (jobs === 0) {
    return { text: j.backlog.empty, tone: 'good' };
  }
  if (growth === null) {
    return { text: j.backlog.watching, tone: 'plain' };
  }
  if (growth === 0) {
    return { text: j.backlog.still, tone: 'warn' };
  }
  const rate = Math.abs(growth) >= 10 ? Math.round(Math.abs(growth)).toLocaleString() : Math.abs(growth).toFixed(1);
  return growth > 0
    ? { text: j.backlog.grows(rate), tone: 'warn' }
    : { text: j.backlog.ends(rate, span((backlog?.endsInSeconds ?? 0) * 1000)), tone: 'good' };
}
