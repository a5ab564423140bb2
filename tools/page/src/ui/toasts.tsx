// Short messages about what was done, read out too.
import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

type Listener = (text: string) => void;
const listeners = new Set<Listener>();

export function say(text: string): void {
  for (const listener of listeners) {
    listener(text);
  }
}

export function Toasts(): JSX.Element {
  const [texts, setTexts] = useState<{ id: number; text: string }[]>([]);
  useLayoutEffect(() => {
    let last = 0;
    const listener = (text: string): void => {
      const id = ++last;
      setTexts((before) => [...before, { id, text }]);
      setTimeout(() => setTexts((before) => before.filter((each) => each.id !== id)), 8000);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {texts.map((each) => (
        <p key={each.id}>{each.text}</p>
      ))}
    </div>
  );
}
