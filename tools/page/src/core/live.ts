// The stream of events: counts, nodes and what they do as it changes. Views that show more ask again at its beat. It rests while
// the page is hidden or paused, and says so when it is cut.
import { useLayoutEffect, useState } from 'preact/hooks';
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

/** How the free executable jobs become more or less; null: nobody knows. */
export interface Backlog {
  growthPerSecond: number | null;
  endsInSeconds: number | null;
}

export interface ServiceNode {
  node: string;
  state: string;
  running: number;
  workers: number;
  held: number;
  started: string;
  leaseUntil: string | null;
  standstill: string | null;
  host: string;
  process: number;
  version: string;
  handlerTypes: string[];
  scope: unknown;
  acquiresJobs: boolean;
  movesTimers: boolean;
}

export interface Topic {
  topic: string;
  waiting: number;
  waitsSince: string | null;
  locked: number;
  workers: number;
  lastAsked: string | null;
  lastWorker: string | null;
}

/** What is done now, and what has waited the longest for it. */
export interface Work {
  oldest: { place: string; handlerType: string; waitsSince: string } | null;
  /** The longest runs. */
  running: { id: string; runsSince: string }[];
  external: Topic[];
}

/** Where many jobs are, what is known of them at once. */
export const kSoon = { soon: true } as const;

/** "20,000+" where there are more than were counted. */
export const atLeast = (jobs: number, isMore: boolean): string => `${jobs.toLocaleString()}${isMore ? '+' : ''}`;

export interface LiveState {
  state: 'live' | 'paused' | 'hidden' | 'cut';
  stats: Stats | undefined;
  backlog: Backlog | undefined;
  /** Not told to a token that may not see all jobs, and neither are nodes. */
  work: Work | undefined;
  nodes: readonly ServiceNode[] | undefined;
  /** Counts up each second. */
  second: number;
  /** Counts up whenever views should ask again; at most every two seconds. */
  beat: number;
  /** Counts up when something was changed here. */
  deeds: number;
}

let now: LiveState = { state: 'cut', stats: undefined, backlog: undefined, work: undefined, nodes: undefined, second: 0, beat: 0, deeds: 0 };
const nodes = new Map<string, ServiceNode>();
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
  stream.onopen = () => {
    nodes.clear();
    tell({ state: 'live', beat: now.beat + 1 });
  };
  stream.onerror = () => {
    tell({ state: 'cut' });
    void get('session').catch(() => undefined); // A token that has ended is told by the answer.
  };
  stream.addEventListener('stats', (event) => tell({ state: 'live', stats: JSON.parse(event.data) as Stats }));
  stream.addEventListener('backlog', (event) => tell({ state: 'live', backlog: JSON.parse(event.data) as Backlog }));
  stream.addEventListener('runs', () => tell({ state: 'live', beat: now.beat + 1 }));
  stream.addEventListener('node', (event) => noteNode(JSON.parse(event.data) as NodeEvent));
  // First comes each node, and then this: without one there is none.
  stream.addEventListener('work', (event) => tell({ state: 'live', work: JSON.parse(event.data) as Work, nodes: [...nodes.values()] }));
}

interface NodeEvent {
  change: string;
  node: ServiceNode;
}

function noteNode({ change, node }: NodeEvent): void {
  if (change === 'left') {
    nodes.delete(node.node);
  } else {
    nodes.set(node.node, node);
  }
  const isNews = change !== 'there' && change !== 'changed';
  if (isNews || now.nodes) {
    tell({ state: 'live', nodes: [...nodes.values()], ...(isNews ? { beat: now.beat + 1 } : {}) });
  }
}

const kSecond = 1000;

/** Nodes write down their rates at each full second; so long after it they are there. */
const kWritten = 250;

/** All pages ask at the same time, so that the service looks once for all of them. */
function untilSecond(): number {
  const wait = kSecond - ((Date.now() - kWritten) % kSecond);
  return wait < kSecond / 4 ? wait + kSecond : wait;
}

/** A beat comes with each even second. */
const isBeat = (): boolean => Math.floor(Date.now() / kSecond) % 2 === 0;

export function startLive(): void {
  isWanted = true;
  document.addEventListener('visibilitychange', decide);
  const takeTurn = (): void => {
    if (stream && stream.readyState === EventSource.CLOSED) {
      stream = undefined; // Refused for good (a token that ended, a proxy): try again, it may be back.
      decide();
    }
    if (now.state === 'live') {
      tell({ second: now.second + 1, beat: now.beat + (isBeat() ? 1 : 0) });
    }
    setTimeout(takeTurn, untilSecond());
  };
  setTimeout(takeTurn, untilSecond());
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
  useLayoutEffect(() => {
    listeners.add(setState);
    return () => {
      listeners.delete(setState);
    };
  }, []);
  return state;
}
