// The small parts that all views are made of.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../core/api.js';
import { atLeast } from '../core/live.js';
import { ago, exactly } from '../core/time.js';
import { t } from '../strings.js';

/** A view's heading, what stands beside it, and its content. */
export function View(props: { title: string; aside?: ComponentChildren; children?: ComponentChildren }): JSX.Element {
  useEffect(() => {
    document.title = `${props.title} · ${t.product}`;
  }, [props.title]);
  return (
    <section class="view">
      <header class="view-head">
        <h1>{props.title}</h1>
        {props.aside !== undefined && <div class="aside">{props.aside}</div>}
      </header>
      {props.children}
    </section>
  );
}

export function Card(props: { title?: string; aside?: ComponentChildren; children?: ComponentChildren; tone?: 'good' | 'warn' | 'bad' }): JSX.Element {
  return (
    <section class={`card ${props.tone ?? ''}`}>
      {props.title !== undefined && (
        <header>
          <h2>{props.title}</h2>
          {props.aside !== undefined && <div class="aside">{props.aside}</div>}
        </header>
      )}
      {props.children}
    </section>
  );
}

/** An answer that is not there yet, or a mistake; `children` once there is data. */
export function Loaded(props: { isThere: boolean; error?: ApiError | undefined; onRetry?: () => void; onCancel?: () => void; children: ComponentChildren }): JSX.Element {
  return (
    <>
      {props.error && <ErrorBox error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />}
      {props.isThere
        ? props.children
        : !props.error && (
            <p class="quiet" role="status">
              {t.loading} {props.onCancel && <SlowCancel onCancel={props.onCancel} />}
            </p>
          )}
    </>
  );
}

/** Offered when an answer takes long. */
function SlowCancel(props: { onCancel: () => void }): JSX.Element | null {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 1000);
    return () => clearTimeout(timer);
  }, []);
  return isSlow ? <button onClick={props.onCancel}>{t.cancel}</button> : null;
}

export function ErrorBox(props: { error: ApiError; onRetry?: () => void }): JSX.Element {
  return (
    <div class="error" role="alert">
      <p>{props.error.message}</p>
      {props.error.errors.length > 0 && (
        <ul>
          {props.error.errors.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {props.onRetry && <button onClick={props.onRetry}>{t.retry}</button>}
    </div>
  );
}

/** Names and values; what has no value is left out. */
export function Facts(props: { of: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {props.of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

export function Empty(props: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{props.children}</p>;
}

/** "3 min ago"; the exact time, also in the zone of a job, is its title. */
export function Time(props: { of: string | null | undefined; zone?: string | null | undefined }): JSX.Element {
  if (!props.of) {
    return <span class="quiet">{t.none}</span>;
  }
  const title = props.zone ? `${exactly(props.of)}\n${exactly(props.of, props.zone)}` : exactly(props.of);
  return (
    <time dateTime={props.of} title={title}>
      {ago(props.of)}
    </time>
  );
}

export function Badge(props: { tone?: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${props.tone ?? 'plain'}`}>{props.children}</span>;
}

export function Copy(props: { text: string; label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = isCopied ? setTimeout(() => setCopied(false), 1500) : undefined;
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button class="quiet-button" title={props.text} onClick={() => void copy(props.text).then(() => setCopied(true))}>
      {isCopied ? t.copied : (props.label ?? t.copy)}
    </button>
  );
}

/** Without a clipboard (plain HTTP on another machine) a selection is made and copied. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  count?: number | undefined;
  /** There are more. */
  isMore?: boolean;
}

/** Links to parts of a view, one of which is shown. */
export function Tabs<T extends string>(props: { label: string; choices: readonly Choice<T>[]; value: T; href: (value: T) => string }): JSX.Element {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.choices.map((choice) => (
        <a key={choice.value} href={props.href(choice.value)} aria-current={choice.value === props.value ? 'page' : undefined}>
          {choice.label}
          {choice.count !== undefined && <span class="count">{atLeast(choice.count, choice.isMore ?? false)}</span>}
        </a>
      ))}
    </nav>
  );
}

export function Field(props: { label: string; help?: string; error?: string | undefined; children: (id: string, describedBy: string | undefined) => ComponentChildren }): JSX.Element {
  const id = useId();
  const isDescribed = Boolean(props.help ?? props.error);
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(id, isDescribed ? `${id}-help` : undefined)}
      {isDescribed && (
        <small id={`${id}-help`} class={props.error ? 'bad' : ''}>
          {props.error ?? props.help}
        </small>
      )}
    </div>
  );
}

/** A modal window; Escape and a click beside it close it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // Closed by drawing without it: the event of a dialog that closes itself comes later, and might close the next one.
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClose={(event) => {
        if (event.currentTarget.isConnected) {
          props.onClose();
        }
      }}
      onClick={(event) => {
        if (event.target === ref.current) {
          props.onClose();
        }
      }}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{props.title}</h2>
          <button class="quiet-button" aria-label={t.close} onClick={props.onClose}>
            ✕
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
