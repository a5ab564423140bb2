// The same question or deed elsewhere: as a line of jobstrand, and as curl.
import { pathOf, type Query } from '../core/api.js';

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The path without the page's own part of it. */
const absolute = (path: string): string => new URL(path, document.baseURI).href;

const kNouns: Record<string, string> = { jobs: 'job', timers: 'timer', dead: 'dead' };

/** `jobs/cancel` with `{ids: ['a'], reason: 'b'}`: `jobstrand job cancel a --reason b`. */
export function commandOf(path: string, body: Record<string, unknown>): string {
  const [noun = '', verb = ''] = path.split('/');
  const words = [kNouns[noun] ?? noun, verb];
  const ids: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'ids') {
      ids.push(...(value as string[]));
    } else if (value === true) {
      words.push(`--${kebab(name)}`);
    } else if (Array.isArray(value)) {
      value.forEach((each) => words.push(`--${kebab(name)}`, String(each)));
    } else {
      words.push(`--${kebab(name)}`, String(value));
    }
  }
  const shown = ids.slice(0, 50);
  const isDashed = shown.some((id) => id.startsWith('-'));
  return ['jobstrand', ...words, ...(isDashed ? ['--'] : []), ...shown].map(quote).join(' ') + (ids.length > shown.length ? ' …' : '');
}

export function curlOf(method: 'GET' | 'POST', path: string, query: Query = {}, body?: unknown): string {
  const words = ['curl', '-sS', '--fail-with-body', ...(method === 'GET' ? [] : ['-X', method]), quote(absolute(pathOf(path, query)))];
  const token = `-H "Authorization: Bearer $TOKEN"`;
  return [...words, token, ...(body === undefined ? [] : ['-H', quote('Content-Type: application/json'), '-d', quote(JSON.stringify(body))])].join(' ');
}

/** The words of a search as options of jobstrand. */
export function flagsOf(query: Query): string[] {
  const words: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (each === 'true' || each === 'false') {
        words.push(name === 'with-exception' && each === 'false' ? '--without-exception' : `--${name}`);
      } else if (each !== undefined && each !== null && each !== '') {
        words.push(`--${name}`, String(each));
      }
    }
  }
  return words;
}

export const listCommand = (place: string, query: Query): string => ['jobstrand', 'job', 'ls', '--place', place, ...flagsOf(query)].map(quote).join(' ');
