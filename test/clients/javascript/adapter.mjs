// Does with the JavaScript package what behaviours.py tells it: `node adapter.mjs PACKAGE DRIVERS ORIGIN DATABASE`.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [, , source, drivers, origin, url] = process.argv;
const { BusinessError, Client, Fail, Variables, Worker, enqueue } = await import(`${source}/src/index.js`);
const require = createRequire(`${drivers}/`);

const kTickMs = 10;
/** Results that JSON cannot say. */
const kOdd = [
  () => ({ n: 10n }),
  () => {
    const ring = {};
    ring.ring = ring;
    return ring;
  },
  () => ({ half: "\ud800" }),
];

class OutOfInk extends Error {}

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

/** As `{ connection, run, close }`. */
async function connect() {
  if (url.startsWith("sqlite:")) {
    const { DatabaseSync } = await import("node:sqlite");
    const connection = new DatabaseSync(url.slice("sqlite:".length), { timeout: 60_000 });
    connection.exec("PRAGMA busy_timeout = 60000");
    return { connection, run: (sql) => connection.exec(sql), close: () => connection.close() };
  }
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const there = { host, port: Number(port), user, password, database: pathname.slice(1) };
  if (url.startsWith("postgres")) {
    const { Client: Pg } = require("pg");
    const connection = new Pg(there);
    await connection.connect();
    return { connection, run: (sql) => connection.query(sql), close: () => connection.end() };
  }
  const { createConnection } = require("mysql2/promise");
  const connection = await createConnection(there);
  return { connection, run: (sql) => connection.query(sql), close: () => connection.end() };
}

function newJob({ due, delay, words, uniqueFor, ...job }) {
  const dueDate = due !== undefined ? new Date(due) : delay !== undefined ? delay * 1000 : words;
  return { ...job, ...(dueDate !== undefined && { dueDate }), ...(uniqueFor !== undefined && { uniqueForMs: uniqueFor * 1000 }) };
}

const client = new Client(origin);

async function add(told, by) {
  if (by === "http") {
    return (await client.enqueue(newJob(told))).id;
  }
  const { connection, run, close } = await connect();
  try {
    await run("BEGIN");
    const id = await enqueue(connection, newJob(told));
    await run(by === "sql" ? "COMMIT" : "ROLLBACK");
    return id;
  } finally {
    await close();
  }
}

const isRaised = (reason) => {
  throw reason;
};

/** The steps that a handler is made of. */
const steps = {
  /** Only in the first attempt. */
  async first(job, told) {
    for (const step of job.attempt === 1 ? told : []) {
      await carryOut(job, step);
    }
  },
  return: (job, value) => value,
  give: (job, value) => new Variables(value === "payload" ? { given: job.payload } : value),
  /** A result that JSON cannot say. */
  odd: (job, number) => new Variables(kOdd[number % kOdd.length]()),
  raise: (job, message, cause) => isRaised(new OutOfInk(message, cause === undefined ? {} : { cause: new RangeError(cause) })),
  fail: (job, { message, retries, retryAfter }) => isRaised(new Fail(message, { retries, ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1000 }) })),
  business: (job, { code, message, variables }) => isRaised(new BusinessError(code, message, variables)),
  progress: (job, [part, note]) => job.progress(part, note),
  log: (job, text) => job.log(text),
  /** The file is there. */
  async until(job, path) {
    while (!existsSync(path)) {
      await sleep(kTickMs);
    }
  },
  /** That it is to end. */
  async hear(job) {
    if (!job.signal.aborted) {
      await new Promise((resolve) => job.signal.addEventListener("abort", resolve));
    }
    say({ heard: job.id });
  },
};

function carryOut(job, step) {
  const [[verb, value], ...more] = Object.entries(step);
  return steps[verb](job, value, ...more.map(([, one]) => one));
}

const handlerOf = (told) => async (job) => {
  say({ began: job.id, topic: job.handlerType, attempt: job.attempt });
  try {
    let returned;
    for (const step of told) {
      returned = await carryOut(job, step);
    }
    return returned;
  } finally {
    say({ ended: job.id });
  }
};

let worker;
let running;

const verbs = {
  async enqueue(told, by) {
    try {
      say({ id: await add(told, by) });
    } catch (error) {
      say({ refused: `${error.constructor.name}: ${error.message}` });
    }
  },
  work({ handlers, weights, places, lock, wait, timeout, tenant }) {
    worker = new Worker(origin, {
      concurrency: places,
      lockMs: lock * 1000,
      waitMs: wait * 1000,
      log: (line) => say({ log: line }),
      ...(tenant !== undefined && { tenantId: tenant }),
    });
    for (const [topic, told] of Object.entries(handlers)) {
      worker.handler(topic, handlerOf(told), { weight: weights[topic] ?? 1, ...(timeout !== undefined && { timeoutMs: timeout * 1000 }) });
    }
    running = worker.run();
    say({ working: true });
  },
  async stop(when) {
    worker.stop();
    if (when === "end") {
      await running;
    }
    say({ stopped: when });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[verb, value], ...more] = Object.entries(JSON.parse(line));
  await verbs[verb](value, ...more.map(([, one]) => one));
}
process.exit(); // A worker may go on.
