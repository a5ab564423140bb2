// Parts of the JSON that bench/README.md describes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export function figure(name, unit, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { name, unit, values, median, min: sorted[0], max: sorted.at(-1), ceiling: null, ratio: null };
}

export function check(name, problem) {
  return { name, passed: problem === '', problem };
}

/** The version of an installed package, whatever its `exports` let one see. */
export function versionOf(packageName) {
  const entry = createRequire(import.meta.url).resolve(packageName);
  const folder = `/node_modules/${packageName}/`;
  const root = entry.slice(0, entry.lastIndexOf(folder) + folder.length);
  return JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version;
}
