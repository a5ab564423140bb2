// The keys of the search boxes: all filters that the service has for the list.
import type { Grammar, Key } from './search.js';

const text = (name: string, label: string, more: Partial<Key> = {}): Key => ({ name, kind: 'text', label, ...more });
const lacks = { mayLack: true };

const kKeys: readonly Key[] = [
  text('type', 'handler type'),
  text('tenant', 'tenant', lacks),
  text('error', 'message', { aliases: ['message'], ...lacks }),
  { name: 'due', kind: 'time', label: 'due', ...lacks },
  { name: 'created', kind: 'time', label: 'created', ...lacks },
  { name: 'failed', kind: 'time', label: 'died', ...lacks },
  { name: 'is', kind: 'flag', label: 'held or not', values: ['locked', 'free'] },
  { name: 'has', kind: 'flag', label: 'a failure is stored', values: ['exception'] },
  { name: 'priority', kind: 'number', label: 'priority' },
  { name: 'retries', kind: 'number', label: 'retries' },
  text('instance', 'instance', lacks),
  text('root-instance', 'root instance', { aliases: ['root'], ...lacks }),
  text('definition', 'definition', lacks),
  text('element', 'element', lacks),
  text('element-name', 'name of the element', lacks),
  text('execution', 'execution', lacks),
  text('category', 'category', lacks),
  text('correlation-id', 'correlation id', { aliases: ['correlation'], ...lacks }),
  text('unique-key', 'unique key', { aliases: ['unique'], ...lacks }),
  text('series', 'series', lacks),
  text('lock-owner', 'holder', { aliases: ['node', 'worker', 'owner'], ...lacks }),
];

const places = (name: string): string | undefined => (name === 'place' ? 'Places are the tabs above.' : undefined);

export const kJobs: Grammar = { keys: kKeys, wordsAre: 'error', isOfService: true };

const kDoneKeys = ['type', 'tenant', 'instance'];

export const kDone: Grammar = {
  keys: kKeys.filter((key) => kDoneKeys.includes(key.name)).map((key): Key => ({ ...key, mayLack: false })),
  isSingle: true,
  unknown: (name) => places(name) ?? (kKeys.some((key) => key.name === name || key.aliases?.includes(name)) ? `Of finished jobs only ${kDoneKeys.join(', ')} are kept.` : undefined),
};

export const kLog: Grammar = {
  keys: [
    text('job', 'job', { aliases: ['id'] }),
    text('type', 'handler type'),
    text('event', 'event', { values: ['created', 'failed', 'succeeded', 'deleted', 'dead', 'requeued'] }),
    text('why', 'reason', { aliases: ['reason'] }),
    text('tenant', 'tenant'),
    text('node', 'node', { aliases: ['lock-owner', 'worker'] }),
    text('instance', 'instance'),
    text('definition', 'definition'),
    text('element', 'element'),
    { name: 'time', kind: 'time', label: 'time', parameters: ['until', 'since'] },
  ],
  isSingle: true,
};
