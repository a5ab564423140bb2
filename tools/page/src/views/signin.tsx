import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../core/api.js';
import { signIn, type Session } from '../core/session.js';
import { t } from '../strings.js';
import { Field } from '../ui/parts.js';

export function SignIn(props: { hasEnded: boolean; onSession: (session: Session) => void }): JSX.Element {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    try {
      props.onSession(await signIn(token.trim()));
    } catch (problem) {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      setError(problem.message);
    }
  };
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>{t.signIn.title}</h1>
        {props.hasEnded && <p role="alert">{t.signIn.ended}</p>}
        <Field label={t.signIn.token} help={t.signIn.help} error={error}>
          {(id, help) => (
            <input id={id} type="password" autocomplete="current-password" aria-describedby={help} value={token} onInput={(event) => setToken(event.currentTarget.value)} />
          )}
        </Field>
        <button class="primary" type="submit" disabled={token.trim() === ''}>
          {t.signIn.submit}
        </button>
      </form>
    </main>
  );
}
