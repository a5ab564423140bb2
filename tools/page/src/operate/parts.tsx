// Small parts that several of the operators' views have.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../core/api.js';
import { changeQuery } from '../core/router.js';
import { t } from '../strings.js';
import { Card, Copy, ErrorBox, View } from '../ui/parts.js';
import './operate.css';

/** Leads to the next page, and back to the first. */
export function More(props: { after: string; next: string | null | undefined }): JSX.Element | null {
  if (!props.after && !props.next) {
    return null;
  }
  return (
    <p class="more">
      {props.after && <button onClick={() => changeQuery({ after: '' })}>{t.first}</button>}
      {props.next && <button onClick={() => changeQuery({ after: props.next ?? '' })}>{t.next}</button>}
    </p>
  );
}

/** What is wrong with a text: the words, and the place below the text. */
export function Mistake(props: { error: ApiError }): JSX.Element {
  const [words = props.error.message, ...lines] = props.error.errors;
  if (props.error.status !== 400) {
    return <ErrorBox error={props.error} />;
  }
  return (
    <div class="error" role="alert">
      <p>{words}</p>
      {lines.length > 0 && <pre class="mistake">{lines.join('\n')}</pre>}
    </div>
  );
}

export function Command(props: { text: string }): JSX.Element {
  return (
    <div class="command">
      <code>{props.text}</code>
      <Copy text={props.text} />
    </div>
  );
}

/** In place of what a narrow token may not see: the command that tells it. */
export function OnItsMachine(props: { title: string; words: string; command: string }): JSX.Element {
  return (
    <View title={props.title}>
      <Card>
        <p>{props.words}</p>
        <Command text={props.command} />
      </Card>
    </View>
  );
}

/** The value as it was a moment ago, so that not each letter is asked for. */
export function useSettled<T>(value: T, milliseconds = 250): T {
  const [settled, settle] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), milliseconds);
    return () => clearTimeout(timer);
  }, [key, milliseconds]);
  return settled;
}

const kReleased = 3000;

/**
 * For `holdKey` of a table whose rows have deeds: what one does here is shown at once, under the pointer too. Changes that others make wait.
 * The second is called when a deed is done.
 */
export function useRelease(data: unknown): [string, () => void] {
  const now = useRef({ data, until: 0, count: 0 });
  if (now.current.data !== data) {
    now.current.data = data;
    now.current.count += Date.now() < now.current.until ? 1 : 0;
  }
  const release = (): void => {
    now.current.until = Date.now() + kReleased;
  };
  return [String(now.current.count), release];
}
