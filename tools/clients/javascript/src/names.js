/** Throws TypeError for a name in `given` that is not one of `known`, and says the nearest that is. */
export function refuseOthers(what, given, known) {
  for (const name of Object.keys(given ?? {})) {
    if (!known.includes(name)) {
      const near = nearest(name, known);
      throw new TypeError(`${what} has no "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`);
    }
  }
}

/** undefined: none is near. */
function nearest(name, known) {
  const distances = known.map((one) => ({ one, distance: distance(name.toLowerCase(), one.toLowerCase()) }));
  const [first] = distances.sort((left, right) => left.distance - right.distance);
  return first.distance <= Math.max(2, name.length / 3) ? first.one : undefined;
}

/** Of Levenshtein. */
function distance(left, right) {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (left[i - 1] === right[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[right.length];
}
