import { createHash } from "node:crypto";

const weightOf = (name, key) => createHash("sha256").update(`${name}\n${key}`).digest("hex");

/**
 * The engine of a job among the names of several whose databases are as one (`spreadOver`). `key`: its process instance id, else its
 * unique key, else the key of its series, else its id. Throws TypeError where there is no name.
 */
export function engineOf(key, names) {
  return names.reduce((most, name) => (weightOf(name, key) > weightOf(most, key) ? name : most));
}
