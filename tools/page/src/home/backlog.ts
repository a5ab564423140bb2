// How the backlog moves: counts of executable jobs as they were seen, kept while the page is open.
import { span } from '../core/time.js';
import { j } from '../strings/jobs.js';

interface Seen {
  time: number;
  jobs: number;
}

const kWindow = 60_000;
const kLeast = 5000;

const seen: Seen[] = [];

export function noteBacklog(jobs: number, time = Date.now()): void {
  const last = seen[seen.length - 1];
  if (last && time < last.time) {
    return;
  }
  if (last && time - last.time < 1000) {
    last.jobs = jobs;
    return;
  }
  seen.push({ time, jobs });
  while ((seen[0]?.time ?? time) < time - kWindow) {
    seen.shift();
  }
}

/** In words: when there will be nothing left, if all goes on as in the last minute. */
export function backlogInWords(jobs: number): { text: string; tone: 'good' | 'warn' | 'plain' } {
  if (jobs === 0) {
    return { text: j.backlog.empty, tone: 'good' };
  }
  const first = seen[0];
  const last = seen[seen.length - 1];
  if (!first || !last || last.time - first.time < kLeast) {
    return { text: j.backlog.watching, tone: 'plain' };
  }
  const perSecond = ((first.jobs - last.jobs) * 1000) / (last.time - first.time);
  const rate = Math.abs(perSecond) >= 10 ? Math.round(Math.abs(perSecond)).toLocaleString() : Math.abs(perSecond).toFixed(1);
  if (Math.abs(perSecond) < 0.05) {
    return { text: j.backlog.still, tone: 'warn' };
  }
  return perSecond < 0
    ? { text: j.backlog.grows(rate), tone: 'warn' }
    : { text: j.backlog.ends(rate, span((jobs / perSecond) * 1000)), tone: 'good' };
}
