// Dead letters by what they died of, and what is done about all of one cause.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, segment, send } from '../core/api.js';
import { atLeast } from '../core/live.js';
import { href } from '../core/router.js';
import { useMayChange } from '../core/session.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Card, ErrorBox, Loaded, Time } from '../ui/parts.js';
import { Sparkline } from '../ui/chart.js';
import { Table, type Column } from '../ui/table.js';
import { JobsDeed } from './deeds.js';
import type { Job } from './model.js';
import { isMistake, quoted, type Asked } from './search.js';
import { Looked } from './looked.js';
import { useSeldomList, useSoonList } from './seldom.js';
import { told } from './targets.js';

export interface Cause {
  group: string;
  jobs: number;
  handlerType: string | null;
  errorClass: string | null;
  message: string | null;
  firstFailedTime: string | null;
  lastFailedTime: string | null;
  exampleId: string;
  lookedAt: number | null;
}

const kLatest = 500;
const kSteps = 24;

/** Messages of a cause: what differs between them is `<*>`, and blanks count as one. */
function patternOf(cause: Cause): RegExp {
  const rest = (cause.message ?? '')
    .split('<*>')
    .map((part) => part.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'))
    .join('[\\s\\S]*?');
  return new RegExp(`^(?:[\\s\\S]{0,100}?:\\s*)?${rest}`);
}

/** When the latest dead letters of each cause died, in equal steps of time. */
function linesOf(causes: readonly Cause[], latest: readonly Job[]): Map<string, number[]> {
  const times = latest.map((job) => Date.parse(job.failedTime ?? '')).filter(Number.isFinite);
  const from = Math.min(...times);
  const step = Math.max(1, (Date.now() - from) / kSteps);
  const patterns = causes.map((cause) => ({ cause, pattern: patternOf(cause) }));
  const lines = new Map<string, number[]>();
  for (const job of latest) {
    const time = Date.parse(job.failedTime ?? '');
    const found = patterns.find(({ cause, pattern }) => cause.handlerType === job.handlerType && pattern.test(job.exceptionMessage ?? ''));
    if (found && Number.isFinite(time)) {
      const line = lines.get(found.cause.group) ?? new Array<number>(kSteps).fill(0);
      const at = Math.min(kSteps - 1, Math.floor((time - from) / step));
      line[at] = (line[at] ?? 0) + 1;
      lines.set(found.cause.group, line);
    }
  }
  return lines;
}

/** A search that finds most of a cause: its type, and the longest piece of its message that all have. */
function searchOf(cause: Cause): string {
  const pieces = (cause.message ?? '').split(/<\*>|:\s/).map((piece) => piece.trim());
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return [cause.handlerType ? `type:${quoted(cause.handlerType)}` : '', longest ? `error:${quoted(longest)}` : ''].filter(Boolean).join(' ');
}

export function Causes(props: { asked: Asked }): JSX.Element {
  const mayChange = useMayChange();
  const found = useSoonList<Cause>('dead/groups', { ...props.asked, limit: 100 }, 2);
  const latest = useSeldomList<Job>('dead', { newest: true, limit: kLatest }, 4);
  const [open, setOpen] = useState<{ deed: 'requeue' | 'delete'; cause: Cause }>();
  const causes = found.data?.items ?? [];
  const lines = linesOf(causes, latest.data?.items ?? []);
  const columns: Column<Cause>[] = [
    { key: 'jobs', head: j.cause.jobs, isNumber: true, cell: (cause) => <strong data-jobs>{atLeast(cause.jobs, Boolean(cause.lookedAt))}</strong> },
    { key: 'type', head: j.cause.type, cell: (cause) => <span class="word">{cause.handlerType}</span> },
    { key: 'class', head: j.cause.classOf, cell: (cause) => <span class="word">{cause.errorClass ?? t.none}</span> },
    { key: 'message', head: j.cause.message, cell: (cause) => <span class="message">{cause.message}</span> },
    { key: 'first', head: j.cause.first, cell: (cause) => <Time of={cause.firstFailedTime} />, isMinor: true },
    { key: 'last', head: j.cause.last, cell: (cause) => <Time of={cause.lastFailedTime} /> },
    ...(lines.size > 0
      ? [
          {
            key: 'line',
            head: `${j.cause.line} ${kLatest}`,
            isMinor: true,
            cell: (cause: Cause) => {
              const line = lines.get(cause.group);
              return line ? <Sparkline values={line} label={j.sparkline(line.reduce((sum, n) => sum + n, 0))} /> : '';
            },
          },
        ]
      : []),
    {
      key: 'deeds',
      head: <span class="unseen">{j.cause.deeds}</span>,
      cell: (cause) => (
        <div class="row">
          <a href={href(['job', cause.exampleId])}>{j.example}</a>
          <a href={href(['dead'], { search: searchOf(cause) })}>{j.similar}</a>
          {mayChange && (
            <>
              <button data-deed="requeue" onClick={() => setOpen({ deed: 'requeue', cause })}>
                {j.deeds['requeue']?.[0]}…
              </button>
              <button data-deed="delete" onClick={() => setOpen({ deed: 'delete', cause })}>
                {j.deeds['delete']?.[0]}…
              </button>
            </>
          )}
        </div>
      ),
    },
  ];
  if (isMistake(found.error)) {
    return <></>; // The list of the jobs says so.
  }
  return (
    <Card title={j.causes}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Looked found={found} text={j.lookedLatest} label={j.countAll} />
        <Table caption={j.causes} columns={columns} rows={causes} keyOf={(cause) => cause.group} empty={j.noDead} />
      </Loaded>
      {open && <CauseDeed deed={open.deed} cause={open.cause} asked={props.asked} onDone={found.reload} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

function CauseDeed(props: { deed: 'requeue' | 'delete'; cause: Cause; asked: Asked; onDone: () => void; onClose: () => void }): JSX.Element {
  const { cause } = props;
  // One that was tried first is not among the others any more.
  const [isTried, setTried] = useState(false);
  const jobs = Math.max(0, cause.jobs - (isTried ? 1 : 0));
  return (
    <JobsDeed
      key={String(isTried)}
      deed={props.deed}
      targets={{ place: 'dead', asked: props.asked, group: { id: cause.group, jobs, handlerType: cause.handlerType } }}
      onDone={props.onDone}
      onClose={props.onClose}
    >
      <p class="message">{cause.message}</p>
      {props.deed === 'requeue' && <Probe cause={cause} onGood={() => setTried(true)} isTried={isTried} />}
    </JobsDeed>
  );
}

interface Tried {
  state: 'waiting' | 'good' | 'bad';
  where?: string;
  message?: string | null;
}

const kLook = 500;

/** Requeues one, and looks until it has run well or has died again. */
function Probe(props: { cause: Cause; isTried: boolean; onGood: () => void }): JSX.Element {
  const { cause } = props;
  const [since, setSince] = useState<string>();
  const [tried, setTried] = useState<Tried>();
  const [error, setError] = useState<ApiError>();
  const start = async (): Promise<void> => {
    setError(undefined);
    try {
      const before = await get<Job>(`jobs/${segment(cause.exampleId)}`);
      const answer = await send<{ items?: { answer: string }[] }>('POST', 'dead/requeue', { ids: [cause.exampleId], retries: 1 }, 'probe');
      if (answer.items?.[0]?.answer !== 'requeued') {
        throw new ApiError(0, told(answer, 'requeued'));
      }
      setTried({ state: 'waiting' });
      setSince(before.failedTime ?? '');
    } catch (problem) {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      setError(problem);
    }
  };
  useEffect(() => {
    if (since === undefined) {
      return undefined;
    }
    const controller = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const job = await get<Job>(`jobs/${segment(cause.exampleId)}`, {}, { signal: controller.signal });
        if (job.place === 'dead' && job.failedTime !== since) {
          setTried({ state: 'bad', message: job.exceptionMessage ?? null });
          return;
        }
        if (job.place === 'done') {
          setTried({ state: 'good' });
          props.onGood();
          return;
        }
        setTried({ state: 'waiting', where: t.places[job.place] });
      } catch (problem) {
        if (problem instanceof ApiError && problem.status === 404) {
          setTried({ state: 'good' });
          props.onGood();
          return;
        }
        if (!(problem instanceof ApiError)) {
          return; // The dialog was closed.
        }
      }
      timer = setTimeout(() => void look(), kLook);
    };
    let timer = setTimeout(() => void look(), 0);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [since]);
  if (props.isTried) {
    return (
      <div class="probe" role="status" data-probe="good">
        <p class="good">✓ {j.probeGood}</p>
      </div>
    );
  }
  return (
    <div class="probe" role="status" data-probe={tried?.state ?? 'none'}>
      {!tried && (
        <p>
          <button type="button" data-deed="probe" onClick={() => void start()}>
            {j.probe}
          </button>{' '}
          <span class="quiet">{j.probeHelp}</span>
        </p>
      )}
      {tried?.state === 'waiting' && (
        <>
          <p>{j.probing(cause.exampleId)}</p>
          <progress aria-label={j.probing(cause.exampleId)} />
          <p class="quiet">
            {tried.where && j.probeState(tried.where)} {j.probeStill} <a href={href(['job', cause.exampleId])}>{j.why}</a>
          </p>
        </>
      )}
      {tried?.state === 'bad' && (
        <>
          <p class="bad">✗ {j.probeBad}</p>
          <p class="message">{tried.message}</p>
        </>
      )}
      {error && <ErrorBox error={error} />}
    </div>
  );
}
