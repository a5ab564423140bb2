import { refuseOthers } from "./names.js";
import { kOperations } from "./operations.js";
import { durationText } from "./texts.js";

/** What the service takes several of, of which one is enough. */
const kNamed = ["ids", "keys", "names", "jobs"];
const kFilters = (
  "type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter " +
  "uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax without"
).split(" ");
const kDurations = ["dueIn", "spread", "probeWait", "misfireThreshold"];

/**
 * All operations of the service, as `nouns.dead.requeue(["a"], { retries: 3 })`. `ask(method, path, body)` resolves to an
 * answer; `list(path)` returns an asynchronous generator over the items of all pages.
 */
export function nounsOf(ask, list) {
  const nouns = Object.entries(kOperations).map(([noun, operations]) => {
    const methods = Object.entries(operations).map(([verb, operation]) => [verb, methodOf(`${noun}.${verb}`, operation, ask, list)]);
    return [noun, Object.fromEntries(methods)];
  });
  return Object.fromEntries(nouns);
}

function methodOf(name, [method, path, first, others, hasConsent = false], ask, list) {
  const options = others === "" ? [] : others.split(" ");
  return (...values) => {
    if (values.length > first.length + Math.min(options.length, 1)) {
      throw new TypeError(`${name} has fewer arguments: ${[...first, "options"].join(", ")}`);
    }
    refuseOthers(name, values[first.length], options);
    const given = { ...Object.fromEntries(first.map((one, index) => [one, values[index]])), ...values[first.length] };
    const request = requestOf(method, path, given, options.includes("correlationId"), hasConsent);
    return method === "LIST" ? list(request.path) : ask(method, request.path, request.body);
  };
}

function requestOf(method, path, given, isSelection, hasConsent) {
  const said = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .map(([name, value]) => [name, textOf(name, value)]);
  const inPath = said.filter(([name]) => path.includes(`{${name}}`));
  const url = inPath.reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const others = said.filter((one) => !inPath.includes(one));
  if (["LIST", "GET", "DELETE"].includes(method)) {
    const query = new URLSearchParams(others.flatMap(([name, value]) => several(value).map((one) => [kebab(name), String(one)])));
    return { path: `${query}` === "" ? url : `${url}?${query}` };
  }
  // What selects jobs has several of each; elsewhere only what is named.
  const isSeveral = (name) => kNamed.includes(name) || (isSelection && kFilters.includes(name));
  const body = Object.fromEntries(others.map(([name, value]) => [name, isSeveral(name) ? several(value) : value]));
  return { path: url, body: hasConsent && !body.dryRun ? { ...body, yes: true } : body };
}

function textOf(name, value) {
  if (Array.isArray(value)) {
    return value.map((one) => textOf(name, one));
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (typeof value === "number" && kDurations.includes(name)) {
    return durationText(value);
  }
  return value === true || !kFilters.includes(name) ? value : String(value);
}

function several(value) {
  return Array.isArray(value) ? value : [value];
}

function kebab(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
