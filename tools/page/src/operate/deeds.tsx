// Deeds whose dialog has words only, and what became of each thing that was named.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../core/api.js';
import { DeedDialog } from '../ui/deed.js';

export interface Deed {
  title: string;
  /** What the button says. */
  label: string;
  isDangerous?: boolean;
  needsReason?: boolean;
  text?: ComponentChildren;
  /** Does it; what it returns is told. */
  does: (reason: string) => Promise<string>;
}

/** The dialog that is open, if any, and what opens one. */
export function useDeeds(onDone?: () => void): [JSX.Element | null, (deed: Deed) => void] {
  const [deed, setDeed] = useState<Deed>();
  const dialog = deed ? (
    <DeedDialog
      title={deed.title}
      label={deed.label}
      isDangerous={deed.isDangerous ?? false}
      needsReason={deed.needsReason ?? false}
      onClose={() => setDeed(undefined)}
      onDo={async (reason) => {
        const said = await deed.does(reason);
        onDone?.();
        return said;
      }}
    >
      {deed.text !== undefined && <p>{deed.text}</p>}
    </DeedDialog>
  ) : null;
  return [dialog, setDeed];
}

interface Answer {
  answer: string;
  why?: string | null;
}

/** "2 paused, 1 not found: there is no series x". Throws what was refused if nothing was done. */
export function told(answers: readonly Answer[]): string {
  const whys = answers.flatMap((each) => (each.why ? [each.why] : []));
  if (answers.length > 0 && whys.length === answers.length) {
    const [only = '', ...more] = [...new Set(whys)];
    throw new ApiError(409, only, more);
  }
  const counts = new Map<string, number>();
  for (const each of answers) {
    counts.set(each.answer, (counts.get(each.answer) ?? 0) + 1);
  }
  const words = [...counts].map(([answer, n]) => `${n} ${answer}`).join(', ');
  return whys.length > 0 ? `${words}: ${whys[0]}` : words;
}
