// A table whose rows can be followed by keys (j, k, Enter, x) and selected (Shift for a range), and which does not
// change under the pointer.
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../core/router.js';
import { t } from '../strings.js';
import { Empty } from './parts.js';

export interface Column<T> {
  key: string;
  head: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Left out on narrow screens. */
  isMinor?: boolean;
  /** A heading that sorts. */
  onSort?: () => void;
  sorted?: 'ascending' | 'descending' | undefined;
}

interface Props<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  hrefOf?: (row: T) => string;
  empty: ComponentChildren;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  /** While the pointer is over it, rows stay as they are, unless this changes: another page, filter or order. */
  holdKey?: string;
}

export function Table<T>(props: Props<T>): JSX.Element {
  const { keyOf, onSelect } = props;
  const [isHeld, setHeld] = useState(false);
  const [cursor, setCursor] = useState(-1);
  const shown = useRef<{ key: string | undefined; rows: readonly T[] }>({ key: props.holdKey, rows: props.rows });
  if (!isHeld || shown.current.key !== props.holdKey || shown.current.rows.length === 0) {
    shown.current = { key: props.holdKey, rows: props.rows };
  }
  const rows = shown.current.rows;
  const last = useRef(-1);
  const body = useRef<HTMLTableSectionElement>(null);

  const select = (index: number, isRange: boolean): void => {
    const row = rows[index];
    if (!onSelect || !props.selected || row === undefined) {
      return;
    }
    const next = new Set(props.selected);
    const isOn = !next.has(keyOf(row));
    const from = isRange && last.current >= 0 ? Math.min(last.current, index) : index;
    const to = isRange && last.current >= 0 ? Math.max(last.current, index) : index;
    for (const each of rows.slice(from, to + 1)) {
      if (isOn) {
        next.add(keyOf(each));
      } else {
        next.delete(keyOf(each));
      }
    }
    last.current = index;
    onSelect(next);
  };

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, dialog')) {
        return;
      }
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.max(0, Math.min(rows.length - 1, cursor + (event.key === 'j' ? 1 : -1)));
        setCursor(next);
        body.current?.rows[next]?.scrollIntoView({ block: 'nearest' });
      } else if (event.key === 'x') {
        select(cursor, false);
      } else if (event.key === 'Enter' && target === document.body && props.hrefOf && rows[cursor] !== undefined) {
        go(props.hrefOf(rows[cursor]));
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  if (rows.length === 0) {
    return <Empty>{props.empty}</Empty>;
  }
  const areAllSelected = props.selected !== undefined && rows.every((row) => props.selected?.has(keyOf(row)));
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={props.caption}>
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.selected && (
              <th class="check">
                <input
                  type="checkbox"
                  aria-label={t.selectAll}
                  checked={areAllSelected}
                  onChange={() => onSelect?.(areAllSelected ? new Set() : new Set([...(props.selected ?? []), ...rows.map(keyOf)]))}
                />
              </th>
            )}
            {props.columns.map((column) => (
              <th key={column.key} scope="col" class={classOf(column)} aria-sort={column.sorted}>
                {column.onSort ? (
                  <button class="sort" onClick={column.onSort}>
                    {column.head} {column.sorted === 'ascending' ? '▲' : column.sorted === 'descending' ? '▼' : ''}
                  </button>
                ) : (
                  column.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}>
          {rows.map((row, index) => (
            <tr key={keyOf(row)} class={index === cursor ? 'cursor' : ''} data-key={keyOf(row)}>
              {props.selected && (
                <td class="check">
                  <input
                    type="checkbox"
                    aria-label={t.select(keyOf(row))}
                    checked={props.selected.has(keyOf(row))}
                    onClick={(event) => select(index, event.shiftKey)}
                  />
                </td>
              )}
              {props.columns.map((column) => (
                <td key={column.key} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isHeld && rows !== props.rows && <p class="held">{t.held}</p>}
    </div>
  );
}

function classOf(column: { isNumber?: boolean; isMinor?: boolean }): string {
  return `${column.isNumber ? 'number' : ''} ${column.isMinor ? 'minor' : ''}`.trim();
}
