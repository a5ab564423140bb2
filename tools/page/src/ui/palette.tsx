// Ctrl-K: a few letters lead to a view, an id to its job, and anything else to a search.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { go, href } from '../core/router.js';
import { views } from '../views/views.js';
import { t } from '../strings.js';
import { Dialog } from './parts.js';

export function Palette(props: { onClose: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const words = text.trim().toLowerCase();
  const targets = [
    ...views.filter((each) => !each.isHidden && each.title.toLowerCase().includes(words)).map((each) => ({ title: each.title, to: href([each.word].filter(Boolean)) })),
    ...(text.trim()
      ? [
          { title: t.goToJob(text.trim()), to: href(['job', text.trim()]) },
          { title: t.searchJobs(text.trim()), to: href(['jobs'], { search: text.trim() }) },
        ]
      : []),
  ];
  const open = (to: string | undefined): void => {
    if (to !== undefined) {
      props.onClose();
      go(to);
    }
  };
  return (
    <Dialog title={t.goTo} onClose={props.onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={`palette-${chosen}`}
        aria-label={t.goToHelp}
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setChosen((chosen + (event.key === 'ArrowDown' ? 1 : targets.length - 1)) % Math.max(1, targets.length));
          } else if (event.key === 'Enter') {
            event.preventDefault();
            open(targets[chosen]?.to);
          }
        }}
      />
      <ul class="palette" id="palette" role="listbox" aria-label={t.targets}>
        {targets.map((target, i) => (
          <li key={target.to} id={`palette-${i}`} role="option" aria-selected={i === chosen} onClick={() => open(target.to)}>
            {target.title}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
