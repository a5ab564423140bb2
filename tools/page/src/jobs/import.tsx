// Brings back what was downloaded before it was deleted.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { j } from '../strings/jobs.js';
import { DeedDialog } from '../ui/deed.js';
import { Field } from '../ui/parts.js';

interface Imported {
  added: number;
  skipped: number;
  badLines: number;
}

export function ImportDead(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState<string>();
  const lines = text?.split('\n').filter((line) => line.trim() !== '').length ?? 0;
  const close = (): void => {
    setOpen(false);
    setText(undefined);
  };
  return (
    <>
      <button data-deed="import" onClick={() => setOpen(true)}>
        {j.import}…
      </button>
      {isOpen && (
        <DeedDialog
          title={j.importTitle}
          label={j.importLabel(lines)}
          isReady={lines > 0}
          onClose={close}
          onDo={async (reason) => {
            const answer = await send<Imported>('POST', 'verbs/dead/import', { arguments: ['-'], input: text }, reason);
            return j.imported(answer.added, answer.skipped, answer.badLines);
          }}
        >
          <Field label={j.importFile} help={j.importHelp}>
            {(id, help) => (
              <input
                id={id}
                type="file"
                accept=".jsonl,.ndjson,application/x-ndjson"
                aria-describedby={help}
                onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
              />
            )}
          </Field>
        </DeedDialog>
      )}
    </>
  );
}
