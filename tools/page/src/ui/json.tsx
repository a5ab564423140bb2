// A payload as a tree that can be folded; its numbers keep their digits.
import type { JSX } from 'preact';
import { ExactNumber, formatJson, type Json } from '../core/json.js';
import { Copy } from './parts.js';

export function JsonTree(props: { value: Json; label: string }): JSX.Element {
  return (
    <div class="json" aria-label={props.label} role="group">
      <Copy text={formatJson(props.value)} />
      <Node value={props.value} isOpen />
    </div>
  );
}

function Node(props: { name?: string; value: Json; isOpen?: boolean }): JSX.Element {
  const { value } = props;
  const name = props.name !== undefined && <span class="json-name">{props.name}: </span>;
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) {
    const kind = value instanceof ExactNumber ? 'number' : value === null ? 'null' : typeof value;
    return (
      <div class="json-leaf">
        {name}
        <code class={`json-${kind}`}>{formatJson(value)}</code>
      </div>
    );
  }
  const members: [string, Json][] = Array.isArray(value) ? value.map((item, i) => [String(i), item]) : Object.entries(value);
  const brackets = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`;
  return (
    <details open={props.isOpen === true || members.length < 20}>
      <summary>
        {name}
        <span class="quiet">{brackets}</span>
      </summary>
      {members.slice(0, 500).map(([key, member]) => (
        <Node key={key} name={key} value={member} />
      ))}
    </details>
  );
}
