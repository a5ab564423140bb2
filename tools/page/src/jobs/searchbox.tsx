// A box for searches: completes what is typed, says what it means, and tells of mistakes below before anything is sent.
import type { JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go, href } from '../core/router.js';
import { j } from '../strings/jobs.js';
import { completions, parse, type Grammar, type Key, type Mistake } from './search.js';
import { useKnown } from './known.js';

interface Props {
  label: string;
  grammar: Grammar;
  /** What is searched now. */
  value: string;
  onSearch: (text: string) => void;
  /** Values seen in what is listed, of a key. */
  seen?: (key: Key) => readonly string[];
  /** What the service says of what is searched now. */
  mistake?: Mistake | undefined;
}

export function SearchBox(props: Props): JSX.Element {
  const { grammar } = props;
  const [text, setText] = useState(props.value);
  const [caret, setCaret] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const known = useKnown(isOpen);
  // In the drawing itself: a moment later somebody may have typed already.
  useLayoutEffect(() => setText(props.value), [props.value]);

  const parsed = parse(grammar, text);
  const told = props.mistake && text.trim() === props.value.trim() ? [props.mistake] : [];
  const mistakes = grammar.isOfService ? told : parsed.mistakes;
  const words = parsed.mistakes.length === 0 && mistakes.length === 0 ? parsed.words : [];
  const valuesOf = (key: Key): readonly string[] => [...new Set([...known(key.name), ...(props.seen?.(key) ?? [])])].sort();
  const options = isOpen ? completions(grammar, text, caret, valuesOf) : [];
  const take = (index: number): void => {
    const option = options[index];
    if (!option || !input.current) {
      return;
    }
    setText(option.whole);
    setChosen(-1);
    input.current.value = option.whole;
    input.current.setSelectionRange(option.caret, option.caret);
    setCaret(option.caret);
    input.current.focus();
  };
  const submit = (whole = text): void => {
    setOpen(false);
    setText(whole);
    if (grammar.isOfService || parse(grammar, whole).mistakes.length === 0) {
      props.onSearch(whole.trim());
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen(options.length === 0 ? -1 : (chosen + step + options.length + (chosen < 0 && step < 0 ? 1 : 0)) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen && chosen >= 0) {
        take(chosen);
      } else {
        submit();
      }
    } else if (event.key === 'Tab' && isOpen && chosen >= 0) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      setOpen(false);
      setChosen(-1);
    }
  };
  const look = (): void => setCaret(input.current?.selectionStart ?? text.length);
  const isListed = isOpen && options.length > 0;
  return (
    <div class="search">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="search-box">
          <input
            ref={input}
            type="search"
            role="combobox"
            aria-label={props.label}
            aria-autocomplete="list"
            aria-expanded={isListed}
            aria-controls={`${id}-list`}
            aria-activedescendant={isListed && chosen >= 0 ? `${id}-${chosen}` : undefined}
            aria-describedby={`${id}-told`}
            aria-invalid={mistakes.length > 0}
            autocomplete="off"
            spellcheck={false}
            placeholder={j.searchHelp}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setChosen(-1);
              setOpen(true);
              look();
            }}
            onFocus={look}
            onClick={() => {
              look();
              setOpen(true);
            }}
            onKeyUp={look}
            onKeyDown={onKeyDown}
            onBlur={() => setOpen(false)}
          />
          <ul class="suggestions" id={`${id}-list`} role="listbox" aria-label={j.suggestions} hidden={!isListed}>
            {options.map((option, i) => (
              <li
                key={option.text}
                id={`${id}-${i}`}
                role="option"
                aria-selected={i === chosen}
                onPointerDown={(event) => {
                  event.preventDefault(); // The box keeps the focus.
                  take(i);
                }}
              >
                <code>{option.text}</code>
                {option.help && <span class="quiet"> {option.help}</span>}
              </li>
            ))}
          </ul>
        </div>
        <button type="submit" class="primary" disabled={!grammar.isOfService && mistakes.length > 0}>
          {j.search}
        </button>
        {(text !== '' || props.value !== '') && (
          <button type="button" onClick={() => submit('')}>
            {j.clear}
          </button>
        )}
      </form>
      <div id={`${id}-told`} class="search-told" role="status">
        {mistakes.length > 0 ? (
          <Mistakes mistakes={mistakes} onMend={(whole) => { setText(whole); input.current?.focus(); }} />
        ) : (
          words.length > 0 && (
            <p class="quiet">
              {j.means} {words.join('; ')}
            </p>
          )
        )}
      </div>
    </div>
  );
}

function Mistakes(props: { mistakes: readonly Mistake[]; onMend: (whole: string) => void }): JSX.Element {
  return (
    <ul class="mistakes">
      {props.mistakes.map((mistake, i) => (
        <li key={i}>
          {mistake.text}{' '}
          {mistake.fix !== undefined && (
            <button type="button" onClick={() => props.onMend(mistake.fix ?? '')}>
              {j.mend(mistake.fix)}
            </button>
          )}
          {mistake.job && (
            <button type="button" onClick={() => go(href(['job', mistake.job ?? '']))}>
              {j.openJob(mistake.job)}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
