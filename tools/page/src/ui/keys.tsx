// Keys that work everywhere: / ? Ctrl-K, and g with a letter.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { go, href } from '../core/router.js';
import { views } from '../views/views.js';
import { t } from '../strings.js';
import { Dialog } from './parts.js';

export function useKeys(does: { onPalette: () => void; onHelp: () => void }): void {
  const isAfterG = useRef(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        does.onPalette();
        return;
      }
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, dialog')) {
        return;
      }
      const view = isAfterG.current ? views.find((each) => each.key !== '' && each.key === event.key) : undefined;
      isAfterG.current = event.key === 'g' && !isAfterG.current;
      if (view) {
        go(href([view.word].filter(Boolean)));
      } else if (event.key === '?') {
        does.onHelp();
      } else if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('main input[type="search"]');
        if (search) {
          event.preventDefault();
          search.focus();
        }
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

export function KeysHelp(props: { onClose: () => void }): JSX.Element {
  const rows: [string, string][] = [
    ['/', t.keys.search],
    [t.goToKey, t.keys.goTo],
    ['j k', t.keys.rows],
    ['Enter', t.keys.open],
    ['x', t.keys.select],
    ...views.filter((each) => each.key).map((each): [string, string] => [`g ${each.key}`, each.title]),
    ['?', t.keys.help],
  ];
  return (
    <Dialog title={t.keys.title} onClose={props.onClose}>
      <dl class="keys">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
