// The stream of events: counts and nodes as they change. Views that show more ask again at its beat. It rests while
// the page is hidden or paused, and says so when it is cut.
import { useEffect, useState } from 'preact/hooks';
import { get } from './api.js';

export interface Stats {
  places: Record<'executable' | 'timer' | 'suspended' | 'dead' | 'external', number>;
  locked: Record<'executable' | 'timer' | 'external', number>;
  unserved: { place?: string; handlerType: string; jobs?: number }[];
  /** Places that hold more than were counted. */
  lookedAt?: Record<string, number>;
  /** Places that were counted earlier, and when. */
  asOf?: Record<string, string>;
}

/** Where many jobs are, what is known of them at once. */
export const kSoon = { soon: true } as const;

/** "20,000+" where there are more than were counted. */
export const atLeast = (jobs: number, isMore: boolean): string => `${jobs.toLocaleString()}${isMore ? '+' : ''}`;

export interface LiveState {
  state: 'live' | 'paused' | 'hidden' | 'cut';
  stats: Stats | undefined;
  /** Counts up whenever views should ask again; at most every two seconds. */
  beat: number;
  /** Counts up when something was changed here. */
  deeds: number;
}

const kBeat = 2000;

let now: LiveState = { state: 'cut', stats: undefined, beat: 0, deeds: 0 };
const listeners = new Set<(state: LiveState) => void>();
let stream: EventSource | undefined;
let isPaused = false;
let isWanted = false;

function tell(change: Partial<LiveState>): void {
  now = { ...now, ...change };
  for (const listener of listeners) {
    listener(now);
  }
}

function decide(): void {
  const shouldRun = isWanted && !isPaused && !document.hidden;
  if (!shouldRun) {
    stream?.close();
    stream = undefined;
    tell({ state: isPaused ? 'paused' : 'hidden' });
    return;
  }
  if (stream) {
    return;
  }
  stream = new EventSource('api/v1/events');
  stream.onopen = () => tell({ state: 'live', beat: now.beat + 1 });
  stream.onerror = () => {
    tell({ state: 'cut' });
    void get('session').catch(() => undefined); // A token that has ended is told by the answer.
  };
  stream.addEventListener('stats', (event) => tell({ state: 'live', stats: JSON.parse(event.data) as Stats }));
  stream.addEventListener('runs', () => tell({ state: 'live', beat: now.beat + 1 }));
  stream.addEventListener('node', () => tell({ state: 'live', beat: now.beat + 1 }));
}

/** Nodes write down their rates at each even second; so long after it they are there. */
const kWritten = 250;

/** All pages ask at the same time, so that the service looks once for all of them. */
function untilBeat(): number {
  const wait = kBeat - ((Date.now() - kWritten) % kBeat);
  return wait < kBeat / 4 ? wait + kBeat : wait;
}

export function startLive(): void {
  isWanted = true;
  document.addEventListener('visibilitychange', decide);
  const takeTurn = (): void => {
    if (stream && stream.readyState === EventSource.CLOSED) {
      stream = undefined; // Refused for good (a token that ended, a proxy): try again, it may be back.
      decide();
    }
    if (now.state === 'live') {
      tell({ beat: now.beat + 1 });
    }
    setTimeout(takeTurn, untilBeat());
  };
  setTimeout(takeTurn, untilBeat());
  decide();
}

export function pauseLive(pause: boolean): void {
  isPaused = pause;
  decide();
}

/** All views should ask again: something was changed here. */
export function beatNow(): void {
  tell({ beat: now.beat + 1, deeds: now.deeds + 1 });
  void get<Stats>('stats', kSoon).then((stats) => tell({ stats }), () => undefined);
}

export function useLive(): LiveState {
  const [state, setState] = useState(now);
  useEffect(() => {
    listeners.add(setState);
    setState(now);
    return () => {
      listeners.delete(setState);
    };
  }, []);
  return state;
}
