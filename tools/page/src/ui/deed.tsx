// A deed: what it will do is counted and shown first, a reason is asked for, and what came of it is told.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { beatNow } from '../core/live.js';
import { t } from '../strings.js';
import { useAttempt } from './attempt.js';
import { Dialog, ErrorBox, Field } from './parts.js';
import { say } from './toasts.js';

interface Props {
  title: string;
  /** What the button says: "Requeue 17 jobs". */
  label: string;
  isDangerous?: boolean;
  /** Options and what is counted beforehand. */
  children?: ComponentChildren;
  /** Does it; what it returns is told. */
  onDo: (reason: string) => Promise<string>;
  onClose: () => void;
  isReady?: boolean;
  /** Nobody may do it without saying why. */
  needsReason?: boolean;
}

export function DeedDialog(props: Props): JSX.Element {
  const [reason, setReason] = useState('');
  const { isBusy, error, attempt } = useAttempt();
  const run = (): Promise<void> =>
    attempt(async () => {
      say(await props.onDo(reason));
      beatNow();
      props.onClose();
    });
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {props.children}
        <Field label={t.reason} help={t.reasonHelp}>
          {(id, help) => <input id={id} name="reason" aria-describedby={help} value={reason} required={props.needsReason === true} maxLength={200} onInput={(event) => setReason(event.currentTarget.value)} />}
        </Field>
        {error && <ErrorBox error={error} />}
        <footer>
          <button type="button" onClick={props.onClose}>
            {t.cancel}
          </button>
          <button type="submit" class={props.isDangerous ? 'danger' : 'primary'} disabled={isBusy || props.isReady === false || (props.needsReason === true && reason.trim() === '')}>
            {props.label}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
