import { randomBytes } from "node:crypto";

/** As JSON.stringify writes it: an escape, before which stands no further backslash that would make it a plain text. */
const kHalfOfCharacter = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** ISO 8601, of milliseconds. */
export function durationText(ms) {
  if (!(ms >= 0)) {
    throw new RangeError("a duration must not be negative");
  }
  return `PT${(Math.round(ms) / 1000).toFixed(3)}S`;
}

/** A UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database. */
export function freshId() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** As the service reads it: a Date is an instant, a number milliseconds from now, a text any timer text. */
export function jobToJson(job) {
  const { dueDate, uniqueForMs, ...rest } = job;
  const json = { ...rest };
  if (dueDate !== undefined && dueDate !== null) {
    json.dueDate = dueDate instanceof Date ? dueDate.toISOString() : typeof dueDate === "number" ? durationText(dueDate) : dueDate;
  }
  if (uniqueForMs !== undefined) {
    json.uniqueFor = durationText(uniqueForMs);
  }
  return json;
}

/** JSON that is written already. */
export class Encoded {
  constructor(text) {
    this.text = text;
  }
}

/** Throws TypeError for what JSON cannot say: a BigInt, a ring, half of a character. */
export function encoded(value) {
  const text = JSON.stringify(value);
  if (kHalfOfCharacter.test(text)) {
    throw new TypeError("a text has half of a surrogate pair, which is no character");
  }
  return new Encoded(text);
}

/** `text` without halves of characters. */
export function sayable(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
