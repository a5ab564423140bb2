// What operators do to jobs: to one, to some, or to all that match. What it is about is counted first.
import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { ApiError, send } from '../core/api.js';
import { formatJson } from '../core/json.js';
import { SessionContext } from '../core/session.js';
import { j } from '../strings/jobs.js';
import { useAttempt } from '../ui/attempt.js';
import { DeedDialog } from '../ui/deed.js';
import { Copy, ErrorBox, Field } from '../ui/parts.js';
import { say } from '../ui/toasts.js';
import { commandOf, curlOf } from './command.js';
import type { Job } from './model.js';
import { bodyOf, count, download, told, type Counted, type Targets } from './targets.js';

export type Deed = 'requeue' | 'fire' | 'suspend' | 'activate' | 'cancel' | 'priority' | 'retries' | 'reschedule' | 'payload' | 'delete';

/** What may be done to many jobs of a place. */
const kOfMany: Record<string, readonly Deed[]> = {
  executable: ['suspend', 'priority', 'reschedule', 'cancel', 'delete'],
  timer: ['fire', 'reschedule', 'suspend', 'priority', 'cancel', 'delete'],
  suspended: ['activate', 'priority', 'cancel', 'delete'],
  dead: ['requeue', 'delete'],
  external: ['suspend', 'priority', 'cancel', 'delete'],
  all: ['suspend', 'activate', 'cancel', 'delete'],
};

export const deedsOfMany = (place: string): readonly Deed[] => kOfMany[place] ?? [];

/** What may be done to one job, where it stands. */
export function deedsOfOne(job: Job): readonly Deed[] {
  if (job.place === 'dead') {
    return ['requeue', 'payload', 'delete'];
  }
  const isHeld = Boolean(job.lockOwner);
  return deedsOfMany(job.place).concat('retries', 'payload').filter((deed) => !isHeld || deed === 'cancel' || deed === 'suspend')
    .sort((a, b) => kOrder.indexOf(a) - kOrder.indexOf(b));
}

const kOrder: readonly Deed[] = ['fire', 'requeue', 'activate', 'suspend', 'reschedule', 'payload', 'priority', 'retries', 'cancel', 'delete'];

interface Options {
  retries: string;
  spread: string;
  rate: string;
  priority: string;
  due: string;
  payload: string;
}

/** Deeds that take a filter do so in the service; of the others every job is named. */
const kTakesFilters: readonly Deed[] = ['requeue', 'priority', 'retries', 'delete'];
const kMany = 1000;
const kNumbers: readonly string[] = ['retries', 'priority', 'rate'];

interface Call {
  path: string;
  body: Record<string, unknown>;
}

function callOf(deed: Deed, targets: Targets, options: Options): Call {
  const isDead = targets.place === 'dead';
  const filled = (members: Record<string, string>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '').map(([name, value]) => [name, kNumbers.includes(name) ? Number(value) : value]));
  const those = (withPlace: boolean): Record<string, unknown> => bodyOf(targets, withPlace);
  switch (deed) {
    case 'requeue':
      return { path: 'dead/requeue', body: { ...those(false), ...filled({ retries: options.retries, spread: options.spread, rate: options.rate, due: options.due, payload: options.payload }), ...(options.rate ? { background: true } : {}) } };
    case 'fire':
      return { path: 'timers/fire', body: those(false) };
    case 'delete':
      return isDead ? { path: 'dead/rm', body: { ...those(false), yes: true } } : { path: 'jobs/rm', body: { ...those(true), yes: true } };
    case 'priority':
    case 'retries':
      return { path: 'jobs/set', body: { ...those(true), ...filled({ [deed]: options[deed] }) } };
    case 'reschedule':
      return { path: targets.place === 'timer' ? 'timers/reschedule' : 'jobs/set', body: { ...those(false), ...filled({ due: options.due }) } };
    case 'payload':
      return isDead
        ? { path: 'dead/requeue', body: { ...those(false), payload: options.payload } }
        : { path: 'jobs/set', body: { ...those(false), payload: options.payload } };
    default:
      return { path: `jobs/${deed}`, body: those(false) };
  }
}

const kAtOnce = 5000;

async function carryOut(deed: Deed, targets: Targets, options: Options, counted: Counted, reason: string, mayBackground: boolean): Promise<string> {
  const done = j.deeds[deed]?.[2] ?? '';
  const isFiltered = targets.group !== undefined || (targets.jobs === undefined && kTakesFilters.includes(deed) && targets.place !== 'all');
  if (isFiltered) {
    const call = callOf(deed, targets, options);
    return told(await send('POST', call.path, counted.total > kMany && mayBackground ? { ...call.body, background: true } : call.body, reason), done);
  }
  const all: unknown[] = [];
  for (let at = 0; at < counted.ids.length; at += kAtOnce) {
    const some = counted.ids.slice(at, at + kAtOnce).map((id) => ({ id }) as Job);
    const call = callOf(deed, { place: targets.place, jobs: some }, options);
    const body = deed === 'cancel' ? { ...call.body, reason } : call.body;
    const answer = await send<unknown>('POST', call.path, body, reason);
    all.push(...(Array.isArray(answer) ? (answer as unknown[]) : ((answer as { items?: unknown[] }).items ?? [])));
  }
  return told(all, done);
}

interface Props {
  deed: Deed;
  targets: Targets;
  onClose: () => void;
  /** After it is done. */
  onDone?: () => void;
  children?: ComponentChildren;
}

/** A deed with its options, what it is about, and the same as a command. */
export function JobsDeed(props: Props): JSX.Element {
  const { deed, targets } = props;
  const one = targets.jobs?.length === 1 ? targets.jobs[0] : undefined;
  // A token for some tenants only may start no batches.
  const isNarrow = useContext(SessionContext)?.isNarrow === true;
  const [counted, error, countOn] = useCounted(targets);
  const [options, setOptions] = useState<Options>(() => ({
    retries: '',
    spread: '',
    rate: '',
    priority: one?.priority !== undefined ? String(one.priority) : '',
    due: '',
    payload: deed === 'payload' && one?.payload !== undefined ? formatJson(one.payload) : '',
  }));
  const title = `${j.deeds[deed]?.[0] ?? deed}`;
  const problem = problemOf(deed, options);
  const n = counted?.total ?? 0;
  const plain = callOf(deed, targets, options);
  const call = deed === 'cancel' ? { ...plain, body: { ...plain.body, reason: 'WHY' } } : plain;
  return (
    <DeedDialog
      title={title}
      label={one ? (j.deeds[deed]?.[3] ?? title) : `${j.deeds[deed]?.[1] ?? deed} ${j.jobs(n)}`}
      isDangerous={deed === 'delete' || deed === 'cancel'}
      isReady={counted !== undefined && counted.isDone && n > 0 && problem === undefined}
      onClose={props.onClose}
      onDo={async (reason) => {
        if (deed === 'cancel' && reason.trim() === '') {
          throw new ApiError(0, j.reasonNeeded);
        }
        const text = counted ? await carryOut(deed, targets, options, counted, reason.trim(), !isNarrow) : '';
        props.onDone?.();
        return text;
      }}
    >
      <p>{j.deedHelp[deed]}</p>
      {props.children}
      <About targets={targets} counted={counted} error={error} onRetry={countOn} />
      <OptionFields deed={deed} options={options} isOne={one !== undefined} mayRate={targets.jobs === undefined && !isNarrow} problem={problem} onChange={(change) => setOptions({ ...options, ...change })} />
      {deed === 'delete' && <Download targets={targets} counted={counted} />}
      <p class="row">
        <Copy label={j.copyCommand} text={commandOf(call.path, call.body)} />
        <Copy label={j.copyCurl} text={curlOf('POST', call.path, {}, call.body)} />
      </p>
    </DeedDialog>
  );
}

function problemOf(deed: Deed, options: Options): string | undefined {
  if (deed === 'payload') {
    try {
      JSON.parse(options.payload);
    } catch (error) {
      return j.notJson((error as Error).message);
    }
  }
  if ((deed === 'requeue' && options.rate !== '' && !/^[1-9]\d*$/.test(options.rate)) || (deed === 'priority' && !/^-?\d+$/.test(options.priority)) || (deed === 'retries' && !/^\d+$/.test(options.retries)) || (deed === 'reschedule' && options.due.trim() === '')) {
    return '';
  }
  return undefined;
}

function useCounted(targets: Targets): [Counted | undefined, ApiError | undefined, () => void] {
  const [counted, setCounted] = useState<Counted>();
  const [error, setError] = useState<ApiError>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    count(targets, setCounted, controller.signal).catch((problem: unknown) => {
      if (problem instanceof ApiError) {
        setError(problem);
      } else if (!controller.signal.aborted) {
        throw problem;
      }
    });
    return () => controller.abort();
    // What a dialog is about stays as it was when it was opened.
  }, [turn]);
  return [counted, error, () => setTurn(turn + 1)];
}

function About(props: { targets: Targets; counted: Counted | undefined; error: ApiError | undefined; onRetry: () => void }): JSX.Element {
  const { counted, targets } = props;
  const one = targets.jobs?.length === 1 ? targets.jobs[0] : undefined;
  if (one) {
    return (
      <p>
        <code>{one.id}</code> <span class="quiet">{one.handlerType}</span>
      </p>
    );
  }
  const types = [...(counted?.byType ?? [])].sort((a, b) => b[1] - a[1]);
  return (
    <div class="about" role="status">
      {props.error && <ErrorBox error={props.error} onRetry={props.onRetry} />}
      <p>
        <strong>{j.dryRun}</strong> {counted === undefined ? j.counting : counted.total === 0 && counted.isDone ? j.nothing : j.counted(counted.total, !counted.isDone)}
      </p>
      {types.length > 0 && (
        <table>
          <caption class="unseen">{j.byType}</caption>
          <tbody>
            {types.slice(0, 12).map(([type, n]) => (
              <tr key={type} data-type={type}>
                <td>{type || '–'}</td>
                <td class="number">{n.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function OptionFields(props: { deed: Deed; options: Options; isOne: boolean; mayRate: boolean; problem: string | undefined; onChange: (change: Partial<Options>) => void }): JSX.Element {
  const { deed, options } = props;
  const input = (name: keyof Options, label: string, help?: string, kind = 'text'): JSX.Element => (
    <Field label={label} {...(help ? { help } : {})}>
      {(id, described) => (
        <input id={id} name={name} type={kind} aria-describedby={described} value={options[name]} onInput={(event) => props.onChange({ [name]: event.currentTarget.value })} />
      )}
    </Field>
  );
  return (
    <>
      {deed === 'requeue' && input('retries', j.retries, j.retriesHelp, 'number')}
      {deed === 'requeue' && !props.isOne && input('spread', j.spread, j.spreadHelp)}
      {deed === 'requeue' && props.mayRate && input('rate', j.rate, j.rateHelp, 'number')}
      {deed === 'priority' && input('priority', j.priority, undefined, 'number')}
      {deed === 'retries' && input('retries', j.retriesLeft, undefined, 'number')}
      {deed === 'reschedule' && input('due', j.due, j.dueHelp)}
      {deed === 'payload' && (
        <Field label={j.payload} error={props.problem || undefined}>
          {(id, described) => (
            <textarea id={id} name="payload" rows={12} spellcheck={false} aria-describedby={described} value={options.payload} onInput={(event) => props.onChange({ payload: event.currentTarget.value })} />
          )}
        </Field>
      )}
    </>
  );
}

function Download(props: { targets: Targets; counted: Counted | undefined }): JSX.Element {
  const { counted, targets } = props;
  const { isBusy, error, attempt } = useAttempt();
  const run = (): Promise<void> =>
    attempt(async () => {
      if (counted) {
        say(j.downloaded(await download(targets, counted)));
      }
    });
  return (
    <>
      <button type="button" disabled={isBusy || !counted?.isDone} onClick={() => void run()}>
        {isBusy ? j.downloading : j.download}
      </button>
      {error && <ErrorBox error={error} />}
    </>
  );
}

/** Buttons for deeds, and the dialog of the one that was chosen. */
export function DeedButtons(props: { deeds: readonly Deed[]; targets: Targets; onDone?: () => void }): JSX.Element {
  const [open, setOpen] = useState<Deed>();
  return (
    <>
      {props.deeds.map((deed) => (
        <button key={deed} type="button" data-deed={deed} class={deed === 'delete' ? 'danger' : ''} onClick={() => setOpen(deed)}>
          {j.deeds[deed]?.[0] ?? deed}
        </button>
      ))}
      {open && (
        <JobsDeed
          deed={open}
          targets={props.targets}
          onClose={() => setOpen(undefined)}
          {...(props.onDone ? { onDone: props.onDone } : {})}
        />
      )}
    </>
  );
}
