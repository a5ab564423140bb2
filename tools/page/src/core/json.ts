// JSON whose numbers keep their digits: 12345678901234567890 and 2.50 are shown as they were stored.

/** A number that JavaScript's own would change. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

export type Json = null | boolean | number | string | ExactNumber | Json[] | { [name: string]: Json };

interface Source {
  source?: string;
}

/** Browsers without the source of a value (before 2024 or so) give plain numbers. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, function revive(this: unknown, _name: string, value: unknown, context?: Source): unknown {
    return typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? new ExactNumber(context.source)
      : value;
  } as (this: unknown, key: string, value: unknown) => unknown);
}

/** As it would be typed, indented by two. */
export function formatJson(value: Json, indent = ''): string {
  if (value instanceof ExactNumber) {
    return value.text;
  }
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((item) => inner + formatJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${formatJson(member, inner)}`);
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}
