// Says that an answer is of some rows only, and asks for all.
import type { JSX } from 'preact';
import { j } from '../strings/jobs.js';
import type { SoonList } from './seldom.js';

export function Looked<T>(props: { found: SoonList<T>; text: (rows: number) => string; label: string }): JSX.Element | null {
  const { found } = props;
  if (!found.data || (!found.data.lookedAt && !found.isWhole)) {
    return null;
  }
  return (
    <p class="row quiet" role="status" data-looked={found.isWhole ? 'all' : 'some'}>
      {found.isWhole ? j.wholeRead : props.text(found.data.lookedAt ?? 0)}{' '}
      {found.isWhole ? <button onClick={found.cancel}>{j.onlySome}</button> : <button onClick={found.askWhole}>{props.label}</button>}
    </p>
  );
}
