// Where we are stands behind `#`: `#/jobs?search=type:mail`, so that every view, filter and choice is a link, under
// any prefix.
import { useLayoutEffect, useState } from 'preact/hooks';

export interface Place {
  /** `['jobs', 'order 17']` */
  path: readonly string[];
  query: URLSearchParams;
}

function placeNow(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `href(['job', id])`; empty values are left out. */
export function href(path: readonly string[], query: Record<string, string | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value) {
      words.set(name, value);
    }
  }
  const text = words.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

export function go(to: string): void {
  location.hash = to.replace(/^#/, '');
}

/** Changes some of the query of where we are; an empty text takes a name away. `replace` makes no step of Back. */
export function changeQuery(changes: Record<string, string | undefined>, how: 'push' | 'replace' = 'push'): void {
  const { path, query } = placeNow();
  const all = Object.fromEntries(query);
  const to = href(path, { ...all, ...changes });
  if (to === location.hash) {
    return;
  }
  if (how === 'push') {
    go(to);
  } else {
    history.replaceState(null, '', to);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  // Listens from the moment of the first drawing on: effects come later, and would miss a step taken meanwhile.
  useLayoutEffect(() => {
    const look = (): void => setPlace(placeNow());
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return place;
}
