// The command line that all peers of this folder understand.
import { parseArgs } from 'node:util';

const DEFAULTS = { jobs: 100000, warmUp: 10000, repeat: 3, workers: 8, page: 500, nodes: 1, timeLimit: 120 };

/** Ends the program with exit code 2 when the arguments are wrong. */
export function readOptions(peer) {
  const defaults = { ...DEFAULTS, ...peer.defaults };
  const flagOf = (name) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase());
  const texts = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [flagOf(name), { type: 'string', default: String(value) }]),
  );
  try {
    const { values } = parseArgs({ options: { db: { type: 'string' }, ...texts } });
    if (!values.db) throw new Error('--db is missing');
    const numbers = Object.keys(defaults).map((name) => [name, whole(values, flagOf(name))]);
    return { db: values.db, ...Object.fromEntries(numbers) };
  } catch (error) {
    const usage = Object.keys(defaults).map((name) => `[--${flagOf(name)} ${defaults[name]}]`);
    process.stderr.write(`${peer.name}: ${error.message}\nUsage:  --db postgresql://... ${usage.join(' ')}\n`);
    process.exit(2);
  }
}

function whole(values, flag) {
  if (!/^\d+$/.test(values[flag])) throw new Error(`--${flag} needs a whole number`);
  return Number(values[flag]);
}
