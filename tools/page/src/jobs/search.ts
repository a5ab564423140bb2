// What may be typed into a search box: `type:mail tenant:acme -locked due<2h "connection refused"`. Searches of jobs are
// read by the service, which knows more (OR, NOT, parentheses, payloads); of other lists all terms must match, and what the
// service cannot be asked is told here.
import { ApiError } from '../core/api.js';

export type KeyKind = 'text' | 'time' | 'number' | 'flag';

export interface Key {
  /** As it is typed, and as the service's parameter is called. */
  name: string;
  kind: KeyKind;
  /** In the words of a reader. */
  label: string;
  aliases?: readonly string[];
  /** What a flag may be: `is:locked`. Also what a text may be, if that is known beforehand. */
  values?: readonly string[];
  /** A job may lack it: `-tenant`. */
  mayLack?: boolean;
  /** The parameters of a time, before and after. */
  parameters?: readonly [string, string];
}

export interface Grammar {
  keys: readonly Key[];
  /** The key that words without one belong to. */
  wordsAre?: string;
  /** The service reads the text itself, and tells of mistakes. */
  isOfService?: boolean;
  /** A key may be named once only. */
  isSingle?: boolean;
  /** What is told of a key of other places. */
  unknown?: (name: string) => string | undefined;
}

export interface Mistake {
  text: string;
  /** The whole text, mended. */
  fix?: string;
  /** The id of a job. */
  job?: string;
}

const kMistake = /character (\d+): ([\s\S]*)$/;

/** Whether the service has refused the text of a search. */
export const isMistake = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 400 && kMistake.test(error.message);

/** What the service says of the text, and the text mended as it proposes. */
export function mistakeIn(text: string, error: ApiError): Mistake {
  const [, place = '1', said = error.message] = kMistake.exec(error.message) ?? [];
  const near = /did you mean ([^?\s]+)\?/.exec(said)?.[1];
  const characters = Array.from(text);
  const before = characters.slice(0, Number(place) - 1).join('');
  const rest = characters.slice(Number(place) - 1).join('');
  const mistake = { text: `${said} (character ${place})` };
  return near ? { ...mistake, fix: before + near + rest.replace(/^[^\s:<>()"]*/, '') } : mistake;
}

/** What the service is asked by the text. */
export const whereOf = (text: string): Asked => (text.trim() === '' ? {} : { where: [text.trim()] });

export type Asked = Record<string, readonly string[]>;

export interface Parsed {
  asked: Asked;
  /** What it means, term by term. */
  words: string[];
  mistakes: Mistake[];
}

export interface Term {
  start: number;
  end: number;
  isNot: boolean;
  key: string;
  /** Empty: a word without a key. */
  operator: '' | ':' | '<' | '>' | '<=' | '>=';
  value: string;
  isQuoted: boolean;
}

const kOpposites: Record<string, string> = { locked: 'free', free: 'locked' };

/** Cuts a text into terms; quotes keep blanks together. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  const pattern = /(-?)(?:([A-Za-z][\w.-]*)(<=|>=|[:<>]))?("(?:[^"\\]|\\.)*"?|[^\s"]*)/y;
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1;
      continue;
    }
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    const whole = found?.[0] || text.slice(at, at + 1);
    const raw = found?.[0] ? (found[4] ?? '') : whole;
    const isQuoted = raw.startsWith('"');
    terms.push({
      start: at,
      end: at + whole.length,
      isNot: found?.[1] === '-' && whole !== '-',
      key: found?.[2] ?? '',
      operator: (found?.[3] ?? '') as Term['operator'],
      value: isQuoted ? raw.slice(1, raw.length > 1 && raw.endsWith('"') ? -1 : undefined).replace(/\\(.)/g, '$1') : raw,
      isQuoted,
    });
    at += whole.length;
  }
  return terms;
}

/** A value as it must be typed. */
export const quoted = (value: string): string => (value === '' || /[\s"()\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value);

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      next.push(Math.min((row[k] ?? 0) + 1, (next[k - 1] ?? 0) + 1, (row[k - 1] ?? 0) + (a[i - 1] === b[k - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, far: name.startsWith(word) || word.startsWith(name) ? 1 : distance(word, name) }));
  ranked.sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.name : undefined;
}

export const keyOf = (grammar: Grammar, name: string): Key | undefined =>
  grammar.keys.find((key) => key.kind !== 'flag' && (key.name === name || key.aliases?.includes(name)));

const flagsOf = (grammar: Grammar, name: string): Key | undefined => grammar.keys.find((key) => key.kind === 'flag' && key.name === name);

class Reader {
  readonly asked: Record<string, string[]> = {};
  readonly words: string[] = [];
  readonly mistakes: Mistake[] = [];
  private readonly said = new Map<string, string[]>();

  constructor(
    private readonly grammar: Grammar,
    private readonly text: string,
  ) {}

  private put(name: string, value: string): void {
    (this.asked[name] ??= []).push(value);
  }

  private say(key: Key, relation: string, value: string): void {
    const phrase = `${key.label} ${relation}`;
    this.said.set(phrase, [...(this.said.get(phrase) ?? []), value]);
  }

  /** The text with something else in place of a term. */
  private mend(term: Term, by: string): string {
    return `${this.text.slice(0, term.start)}${by}${this.text.slice(term.end)}`.trim();
  }

  private refuse(text: string, more: Omit<Mistake, 'text'> = {}): void {
    if (!this.mistakes.some((each) => each.text === text)) {
      this.mistakes.push({ text, ...more });
    }
  }

  read(): Parsed {
    const plain: string[] = [];
    const endWords = (): void => {
      const words = plain.splice(0).join(' ');
      const key = this.grammar.wordsAre ? keyOf(this.grammar, this.grammar.wordsAre) : undefined;
      if (words && key) {
        this.put(key.name, words);
        this.say(key, 'has', `“${words}”`);
      }
    };
    for (const term of termsOf(this.text)) {
      if (term.operator === '' && !term.isNot && this.isWord(term)) {
        plain.push(term.value);
        if (term.isQuoted) {
          endWords();
        }
        continue;
      }
      endWords();
      if (term.operator !== '') {
        this.readKey(term);
      } else if (term.isNot) {
        this.readWithout(term);
      }
    }
    endWords();
    this.checkOnce();
    for (const [phrase, values] of this.said) {
      this.words.push([phrase, values.join(' or ')].filter(Boolean).join(' '));
    }
    return { asked: this.asked, words: this.words, mistakes: this.mistakes };
  }

  /** A part of a message, and nothing that looks like more than it is. */
  private isWord(term: Term): boolean {
    if (term.isQuoted) {
      if (this.grammar.wordsAre === undefined) {
        this.refuse(`“${term.value}” belongs to no key.`);
        return false;
      }
      return true;
    }
    if (['AND', 'OR', 'NOT'].includes(term.value)) {
      const says = { AND: 'All terms must match as it is: leave AND out.', OR: 'This list knows no OR between keys. One key named again means one of them is enough: type:mail type:sms.', NOT: 'This list knows no NOT.' };
      this.refuse(says[term.value as 'AND' | 'OR' | 'NOT'], { fix: this.mend(term, '') });
      return false;
    }
    if (/[()]/.test(term.value)) {
      this.refuse('This list knows no parentheses.', { fix: this.text.replace(/"(?:[^"\\]|\\.)*"|[()]/g, (part) => (part.length > 1 ? part : '')) });
      return false;
    }
    if (this.grammar.wordsAre === undefined) {
      const near = nearest(term.value, this.grammar.keys.map((key) => key.name));
      this.refuse(`${term.value} has no key.`, near ? { fix: this.mend(term, `${near}:`) } : {});
      return false;
    }
    return true;
  }

  private readKey(term: Term): void {
    const { operator, value } = term;
    const name = term.key.toLowerCase();
    const flags = flagsOf(this.grammar, name);
    if (flags) {
      this.readFlag(flags, term);
      return;
    }
    if (name === 'id' && !keyOf(this.grammar, name)) {
      this.refuse('An id leads to its job.', value ? { job: value } : {});
      return;
    }
    const key = keyOf(this.grammar, name);
    if (!key) {
      const near = nearest(name, this.grammar.keys.flatMap((each) => [each.name, ...(each.aliases ?? [])]));
      this.refuse(
        this.grammar.unknown?.(name) ?? `There is no key ${term.key}.${near ? ` Is it ${near}?` : ''}`,
        { fix: this.mend(term, near ? `${near}${this.text.slice(term.start + term.key.length + (term.isNot ? 1 : 0), term.end)}` : quoted(this.text.slice(term.start, term.end).replace(/"/g, ''))) },
      );
      return;
    }
    if (term.isNot) {
      this.refuse(`The service cannot leave out one ${key.label}.${key.mayLack ? ` -${key.name} asks for jobs without any.` : ''}`, key.mayLack ? { fix: this.mend(term, `-${key.name}`) } : {});
    } else if (value === '') {
      this.refuse(`Something must stand behind ${term.key}${operator}`);
    } else if (key.kind === 'time') {
      this.readTime(key, term);
    } else if (key.kind === 'number') {
      this.readNumber(key, term);
    } else if (operator !== ':') {
      this.refuse(`${key.name} is a text: ${key.name}:${quoted(value)}`, { fix: this.mend(term, `${key.name}:${quoted(value)}`) });
    } else {
      this.readText(key, term);
    }
  }

  private readText(key: Key, term: Term): void {
    const isList = this.grammar.isSingle === true;
    if (key.values && !(isList ? term.value.split(',') : [term.value]).every((each) => key.values?.includes(each))) {
      const near = nearest(term.value, key.values);
      this.refuse(`${key.name} is one of ${key.values.join(', ')}.`, near ? { fix: this.mend(term, `${key.name}:${near}`) } : {});
      return;
    }
    this.put(key.name, term.value);
    this.say(key, key.name === this.grammar.wordsAre ? 'has' : 'is', key.name === this.grammar.wordsAre ? `“${term.value}”` : term.value);
  }

  private readTime(key: Key, term: Term): void {
    const [before, after] = key.parameters ?? [`${key.name}-before`, `${key.name}-after`];
    const { value } = term;
    if (term.operator === ':') {
      this.refuse(`${key.name} is a time: ${key.name}<${quoted(value)} is before, ${key.name}>${quoted(value)} after it.`, { fix: this.mend(term, `${key.name}>${quoted(value)}`) });
      return;
    }
    const isBefore = term.operator.startsWith('<');
    this.put(isBefore ? before : after, value);
    this.say(key, isBefore ? 'before' : 'after', value);
  }

  private readNumber(key: Key, term: Term): void {
    if (!/^[+-]?\d{1,9}$/.test(term.value)) {
      this.refuse(`${key.name} is a whole number: ${key.name}>=3`);
      return;
    }
    const n = Number(term.value);
    if (term.operator !== '<' && term.operator !== '<=') {
      this.put(`${key.name}-min`, String(term.operator === '>' ? n + 1 : n));
    }
    if (term.operator !== '>' && term.operator !== '>=') {
      this.put(`${key.name}-max`, String(term.operator === '<' ? n - 1 : n));
    }
    this.say(key, term.operator === ':' ? 'is' : term.operator, term.value);
  }

  private readFlag(flags: Key, term: Term): void {
    const value = term.value.toLowerCase();
    if (term.operator !== ':' || !flags.values?.includes(value)) {
      this.refuse(`${flags.name}: is followed by ${flags.values?.join(' or ')}.`, { fix: this.mend(term, `${flags.name}:${nearest(value, flags.values ?? []) ?? flags.values?.[0]}`) });
      return;
    }
    this.putFlag(value, term.isNot);
  }

  private putFlag(value: string, isNot: boolean): void {
    if (value === 'exception') {
      this.put('with-exception', String(!isNot));
      this.words.push(isNot ? 'without a failure' : 'with a failure');
      return;
    }
    const asked = isNot ? (kOpposites[value] ?? value) : value;
    this.put(asked, 'true');
    this.words.push(asked === 'locked' ? 'held by a node or worker' : 'held by nobody');
  }

  private readWithout(term: Term): void {
    const name = term.value.toLowerCase();
    if (this.grammar.keys.some((key) => key.kind === 'flag' && key.values?.includes(name))) {
      this.putFlag(name, true);
      return;
    }
    const key = keyOf(this.grammar, name);
    if (key?.mayLack) {
      this.put('without', key.name);
      this.words.push(`without ${key.label}`);
      return;
    }
    const lacking = this.grammar.keys.filter((each) => each.mayLack).map((each) => each.name);
    const near = nearest(name, lacking);
    const what = lacking.length === 0 ? 'Nothing can be left out here.' : key ? `Every job has a ${key.label}: -${name} finds nothing.` : `-${term.value} leaves out nothing that the service knows.`;
    this.refuse(`${what}${near ? ` Is it -${near}?` : ''}`, { fix: this.mend(term, near ? `-${near}` : quoted(`-${term.value}`)) });
  }

  private checkOnce(): void {
    for (const [name, values] of Object.entries(this.asked)) {
      const isTime = /-(before|after|min|max)$|^(since|until)$/.test(name);
      if (values.length > 1 && name !== 'without' && (this.grammar.isSingle || isTime)) {
        this.refuse(`${name} may be said once.`);
      }
    }
    if (this.asked['locked'] && this.asked['free']) {
      this.refuse('No job is both locked and free.');
    }
    if (new Set(this.asked['with-exception']).size > 1) {
      this.refuse('No job is both with and without a failure.');
    }
  }
}

export const parse = (grammar: Grammar, text: string): Parsed => new Reader(grammar, text).read();

export interface Completion {
  /** What is shown. */
  text: string;
  help?: string;
  /** The whole text then, and where the cursor stands. */
  whole: string;
  caret: number;
}

/** What the term under the cursor may become; `known` has values of a key. */
export function completions(grammar: Grammar, text: string, caret: number, known: (key: Key) => readonly string[]): Completion[] {
  const isParenthesis = (part: string): boolean => part === '(' || part === ')';
  const withoutParentheses = text.replace(/"(?:[^"\\]|\\.)*"?|[()]/g, (part) => (isParenthesis(part) ? ' ' : part));
  const term = termsOf(grammar.isOfService ? withoutParentheses : text).find((each) => each.start < caret && caret <= each.end);
  const start = term?.start ?? caret;
  const end = term?.end ?? caret;
  const put = (by: string, help?: string, isWhole = true): Completion => {
    const word = isWhole ? `${by} ` : by;
    return { text: by, ...(help ? { help } : {}), whole: text.slice(0, start) + word + text.slice(end).trimStart(), caret: start + word.length };
  };
  if (term && term.operator !== '') {
    const key = keyOf(grammar, term.key.toLowerCase()) ?? flagsOf(grammar, term.key.toLowerCase());
    if (!key) {
      return [];
    }
    const sought = term.value.toLowerCase();
    const values = key.kind === 'time' ? ['10m', '1h', '1d', '7d', 'today', 'yesterday'] : (key.values ?? known(key));
    return values
      .filter((value) => value.toLowerCase().includes(sought) && value !== term.value)
      .slice(0, 12)
      .map((value) => put(`${term.isNot ? '-' : ''}${term.key}${term.operator}${quoted(value)}`));
  }
  if (term?.isQuoted) {
    return [];
  }
  const sought = (term?.value ?? '').toLowerCase();
  if (term?.isNot) {
    const names = grammar.keys.flatMap((key) => (key.kind === 'flag' ? (key.values ?? []) : key.mayLack ? [key.name] : []));
    return names.filter((name) => name !== 'free' && name.startsWith(sought)).map((name) => put(`-${name}`));
  }
  if (grammar.isOfService && sought.startsWith('payload')) {
    const paths = known({ name: 'payload', kind: 'text', label: '' });
    return paths.map((path) => put(`payload.${path}:`, 'in the payload', false)).filter((each) => each.text.toLowerCase().startsWith(sought));
  }
  return grammar.keys
    .flatMap((key): Completion[] => {
      if (key.kind === 'flag') {
        return (key.values ?? []).map((value) => put(`${key.name}:${value}`, key.label));
      }
      const signs = key.kind === 'time' ? ['<', '>'] : key.kind === 'number' ? ['>=', '<='] : [':'];
      return signs.map((sign) => put(`${key.name}${sign}`, key.label, false));
    })
    .filter((each) => each.text.startsWith(sought))
    .slice(0, 14);
}
