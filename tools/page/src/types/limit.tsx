// A limit: shown, edited where it stands, set to 0 and back.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, list, segment, send } from '../core/api.js';
import { beatNow } from '../core/live.js';
import { t } from '../strings.js';
import { s } from '../strings/types.js';
import { Badge, ErrorBox } from '../ui/parts.js';
import { say } from '../ui/toasts.js';

export interface Limit {
  limit: string;
  concurrent: number | null;
  perNode: number | null;
  rate: string | null;
  running: number;
  waiting: number;
}

type Numbers = Pick<Limit, 'concurrent' | 'perNode' | 'rate'>;

export const isPaused = (limit: Limit | undefined): boolean => limit?.concurrent === 0 || limit?.perNode === 0;

/** "5 at once, 2 per node, 100/PT1M" */
export function limitWords(limit: Numbers): string {
  const words = [
    limit.concurrent === null ? '' : limit.concurrent === 0 ? s.zero : s.atOnce(limit.concurrent),
    limit.perNode === null ? '' : s.onNode(limit.perNode),
    limit.rate === null ? '' : s.starts(limit.rate),
  ];
  return words.filter(Boolean).join(', ');
}

/** All numbers are said anew; without any the limit is taken away. */
async function setLimit(name: string, numbers: Numbers, reason: string): Promise<void> {
  const body = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== null));
  if (Object.keys(body).length > 0) {
    await send('PUT', `limits/${segment(name)}`, body, reason);
  } else {
    await send('DELETE', `limits/${segment(name)}`, undefined, reason);
  }
}

/** How many ran at once before it was stopped, as the audit has it. */
async function concurrentBefore(name: string): Promise<number | undefined> {
  const { items } = await list<{ arguments: string | null }>('audit', { action: 'limit set', limit: 200 });
  for (const { arguments: words } of items) {
    const found = words?.endsWith(`-- ${name}`) || words?.endsWith(`-- '${name}'`) ? /--concurrent[ =](\d+)/.exec(words) : undefined;
    if (found && Number(found[1]) > 0) {
      return Number(found[1]);
    }
  }
  return undefined;
}

interface Props {
  name: string;
  limit: Limit | undefined;
  mayChange: boolean;
  onChanged: () => void;
  /** Nothing can be stopped by it. */
  isForWorkersOnly?: boolean;
}

async function trying(deed: () => Promise<string>, onChanged: () => void): Promise<void> {
  try {
    say(await deed());
  } catch (problem) {
    if (!(problem instanceof ApiError)) {
      throw problem;
    }
    say(problem.message);
  }
  onChanged();
  beatNow();
}

/** One click: limit 0, and back to what it was. */
export function PauseButton(props: Props & { type: string }): JSX.Element | null {
  const [isBusy, setBusy] = useState(false);
  const { name, limit, type } = props;
  if (!props.mayChange) {
    return null;
  }
  const click = async (): Promise<void> => {
    setBusy(true);
    await trying(async () => {
      const rest = { perNode: limit?.perNode || null, rate: limit?.rate ?? null };
      if (!isPaused(limit)) {
        await setLimit(name, { ...rest, concurrent: 0 }, s.pauseReason);
        return s.pausedNow(type);
      }
      const before = await concurrentBefore(name);
      await setLimit(name, { ...rest, concurrent: before ?? null }, s.resume);
      return `${s.resumed(type)} ${before === undefined ? s.withoutLimit : s.before(before)}`;
    }, props.onChanged);
    setBusy(false);
  };
  return (
    <button disabled={isBusy} title={props.isForWorkersOnly ? s.externalHint : s.pauseHint} aria-label={`${isPaused(limit) ? s.resume : s.pause} ${type}`} onClick={() => void click()}>
      {isPaused(limit) ? s.resume : s.pause}
    </button>
  );
}

export function LimitCell(props: Props): JSX.Element {
  const [isEdited, setEdited] = useState(false);
  const { limit, name } = props;
  if (isEdited) {
    return (
      <LimitForm
        name={name}
        limit={limit}
        onEnd={(isChanged) => {
          setEdited(false);
          if (isChanged) {
            props.onChanged();
          }
        }}
      />
    );
  }
  return (
    <span class="row">
      {limit ? isPaused(limit) ? <Badge tone="warn">{limitWords(limit)}</Badge> : limitWords(limit) : <span class="quiet">{s.noLimit}</span>}
      {props.mayChange && (
        <button class="quiet-button" aria-label={s.editLimit(name)} onClick={() => setEdited(true)}>
          {s.edit}
        </button>
      )}
    </span>
  );
}

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function LimitForm(props: { name: string; limit: Limit | undefined; onEnd: (isChanged: boolean) => void }): JSX.Element {
  const [concurrent, setConcurrent] = useState(String(props.limit?.concurrent ?? ''));
  const [perNode, setPerNode] = useState(String(props.limit?.perNode ?? ''));
  const [rate, setRate] = useState(props.limit?.rate ?? '');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<ApiError>();
  const save = async (): Promise<void> => {
    try {
      await setLimit(props.name, { concurrent: numberOf(concurrent), perNode: numberOf(perNode), rate: rate.trim() || null }, reason);
      say(s.saved(props.name));
      beatNow();
      props.onEnd(true);
    } catch (problem) {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      setError(problem);
    }
  };
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          props.onEnd(false);
        }
      }}
    >
      <label>
        {s.concurrent}
        <input name="concurrent" type="number" min="0" max="10000" autofocus value={concurrent} onInput={(event) => setConcurrent(event.currentTarget.value)} />
      </label>
      <label>
        {s.perNode}
        <input name="perNode" type="number" min="0" max="10000" value={perNode} onInput={(event) => setPerNode(event.currentTarget.value)} />
      </label>
      <label>
        {s.rate}
        <input name="rate" placeholder={s.rateHint} value={rate} onInput={(event) => setRate(event.currentTarget.value)} />
      </label>
      <label>
        {t.reason}
        <input name="reason" class="wide" maxLength={200} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        {s.save}
      </button>
      <button type="button" onClick={() => props.onEnd(false)}>
        {s.cancel}
      </button>
      {error && <ErrorBox error={error} />}
    </form>
  );
}
