// What javascript_test.py asks of the JavaScript package: node javascript_worker.mjs PACKAGE ORIGIN CASE. Prints JSON.
import { setTimeout as sleep } from "node:timers/promises";

const [, , source, origin, name] = process.argv;
const { BusinessError, Client, Fail, Refused, Unreachable, Variables, Worker, enqueue, enqueueBy, insertionOf } = await import(`${source}/src/index.js`);
const client = new Client(origin);
const quick = { waitMs: 1000, log: () => {} };

function print(what) {
  console.log(JSON.stringify(what));
}

async function until(isSo) {
  while (!(await isSo())) {
    await sleep(20);
  }
}

async function isAllDone() {
  const { places } = await client.stats();
  return places.external === 0 && places.timer === 0;
}

const cases = {
  async a_thousand_jobs() {
    let runs = 0;
    const worker = new Worker(client, quick);
    worker.handler("mail", ({ payload: { n }, attempt }) => {
      runs += 1;
      if (n % 10 === 1 && attempt === 1) {
        throw new Error("the first time");
      }
      if (n % 10 === 2) {
        throw new Fail("never", { retries: 0 });
      }
      if (n % 10 === 3) {
        throw new BusinessError("E1", "so", { n });
      }
      // Whatever it is, that means done.
      return { 4: new Variables({ total: n }), 5: "ok", 6: 17n, 7: { n } }[n % 10];
    });
    const running = worker.run();
    await until(isAllDone);
    worker.stop();
    await running;
    print({ runs });
  },

  async a_lock_that_is_lost() {
    const worker = new Worker(client, { ...quick, name: "first", concurrency: 1, lockMs: 600 });
    let heard = false;
    worker.handler("mail", async (job) => {
      const aborted = new Promise((resolve) => job.signal.addEventListener("abort", resolve));
      await client.release("first", [job]);
      await client.acquire("second", ["mail"]);
      await aborted;
      heard = true;
      worker.stop();
    });
    await worker.run();
    print({ heard });
  },

  // The test cancels the job when it has read the first line.
  async a_job_that_is_cancelled() {
    const worker = new Worker(client, quick);
    worker.handler("mail", async ({ id, signal }) => {
      print({ id });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      print({ heard: signal.reason.message === `the lock of job ${id} is lost` });
      worker.stop();
    });
    await worker.run();
  },

  async a_handler_that_hangs() {
    const told = [];
    const worker = new Worker(client, { ...quick, concurrency: 1 });
    const hang = ({ signal }) => new Promise(() => signal.addEventListener("abort", () => told.push(signal.reason.name)));
    worker.handler("mail", hang, { timeoutMs: 200 });
    worker.handler("short", () => {});
    const running = worker.run();
    await until(async () => (await client.stats()).places.dead === 1);
    await client.enqueue({ handlerType: "short", external: true });
    await until(isAllDone);
    worker.stop();
    await running;
    for await (const { exceptionMessage } of client.jobs({ place: "dead" })) {
      told.push(exceptionMessage);
    }
    print(told);
  },

  // The test starts the service when it has read the first line.
  async a_service_that_comes_later() {
    let tries = 0;
    class Counting extends Client {
      acquire(...order) {
        tries += 1;
        if (tries === 4) {
          print({ tries });
        }
        return super.acquire(...order);
      }
    }
    const log = [];
    const worker = new Worker(new Counting(origin), { ...quick, name: "w-1", log: (line) => log.push(line) });
    let done;
    worker.handler("mail", ({ id }) => {
      worker.stop();
      done = id;
    });
    await worker.run();
    print({ done, log });
  },

  async a_free_place_beside_long_jobs() {
    let long = 0;
    let end;
    const mayEnd = new Promise((resolve) => (end = resolve));
    const worker = new Worker(client, { ...quick, concurrency: 4 });
    worker.handler("mail", () => {
      long += 1;
      return mayEnd;
    });
    worker.handler("short", () => {});
    const running = worker.run();
    await until(() => long === 3);
    await client.enqueueAll(Array.from({ length: 20 }, () => ({ handlerType: "short", external: true })));
    await until(async () => (await client.stats()).places.external === 3);
    end();
    worker.stop();
    await running;
    print({ long });
  },

  // Each ends in the turn in which it begins, so that the place is free whenever the worker looks.
  async many_short_jobs_beside_a_long_one() {
    let requests = 0;
    class Counting extends Client {
      acquire(...order) {
        requests += 1;
        return super.acquire(...order);
      }
    }
    let end;
    const mayEnd = new Promise((resolve) => (end = resolve));
    const worker = new Worker(new Counting(origin), { ...quick, concurrency: 2 });
    let short = 0;
    worker.handler("mail", () => mayEnd);
    worker.handler("short", () => {
      short += 1;
    });
    const running = worker.run();
    await client.enqueueAll(Array.from({ length: 1000 }, () => ({ handlerType: "short", external: true })));
    await until(() => short === 1000);
    end();
    worker.stop();
    await running;
    print({ requests });
  },

  async a_handler_that_hangs_with_jobs_behind_it() {
    const done = new Set();
    let hasMore = false;
    let end;
    let givenBack = 0;
    class Watching extends Client {
      async acquire(...order) {
        const jobs = await super.acquire(...order);
        hasMore ||= jobs.length > 1;
        return jobs;
      }
      async release(worker, jobs) {
        givenBack += jobs.length;
        await super.release(worker, jobs);
      }
    }
    const busy = new Worker(new Watching(origin), { ...quick, concurrency: 1 });
    busy.handler("mail", async ({ id }) => {
      if (hasMore) {
        await new Promise((resolve) => (end = resolve));
      }
      done.add(id);
    });
    const other = new Worker(client, { ...quick, concurrency: 1 });
    other.handler("mail", ({ id }) => done.add(id));
    const running = [busy.run()];
    await until(() => end !== undefined);
    running.push(other.run());
    await until(async () => (await client.stats()).places.external === 1);
    busy.stop();
    other.stop();
    end();
    await Promise.all(running);
    print({ done: done.size, givenBack: givenBack > 0 });
  },

  async mistakes() {
    const refused = await client.enqueue({ handlerType: "noop", retries: -1 }).catch((error) => error);
    const away = await new Client("http://127.0.0.1:1").wake().catch((error) => error);
    const worker = new Worker(client, { ...quick, name: "x".repeat(300) }).handler("mail", () => {});
    const ended = await worker.run().catch((error) => error);
    print({ refused: refused instanceof Refused && refused.status, away: away instanceof Unreachable, ended: ended instanceof Refused });
  },

  async enqueueing() {
    const first = await client.enqueue({ handlerType: "noop", dueDate: 3_600_000, uniqueKey: "k", uniqueForMs: 60_000 });
    const kept = await client.enqueue({ handlerType: "noop", uniqueKey: "k", onDuplicate: "keep" });
    const ids = await client.enqueueAll(Array.from({ length: 25 }, () => ({ handlerType: "noop", dueDate: new Date("2035-01-01") })));
    const listed = [];
    for await (const job of client.jobs({ place: "timer", limit: "10" })) {
      listed.push(job.id);
    }
    print({ first: first.isNew, kept: !kept.isNew && kept.id === first.id, listed: listed.length, ids: ids.length, none: await client.job("a/b") });
  },

  // For each database the statements of some jobs, which javascript_test.py runs.
  async insertions() {
    const jobs = [
      { id: "plain", handlerType: "mail", payload: { order: 17, to: "Zoë" } },
      { id: "later", handlerType: "mail", dueDate: new Date("2035-06-01T10:00:00.250Z"), retries: 5, exclusive: false, tenantId: "t" },
      { id: "long", handlerType: "mail", payload: "ü".repeat(5000) },
      { id: "unique", handlerType: "mail", uniqueKey: "order-17", uniqueForMs: 3_600_000 },
      { id: "external", handlerType: "mail", external: true },
    ];
    const told = ["sqlite", "mysql", "postgresql"].map((database) => [database, jobs.map((job) => insertionOf(database, job).statements)]);
    const refused = [{ dueDate: "tomorrow 09:00" }, { repeat: "R/PT1H" }, { uniqueKey: "k", onDuplicate: "keep" }].filter((job) => {
      try {
        insertionOf("sqlite", { handlerType: "mail", ...job });
        return false;
      } catch (error) {
        return error instanceof RangeError;
      }
    });
    const run = [];
    const failing = async (sql) => {
      run.push(sql.split(" ")[0]);
      if (sql.startsWith("INSERT")) {
        throw new Error("a key that is taken");
      }
    };
    const error = await enqueueBy("mysql", failing, jobs[1]).catch(({ message }) => message);
    print({ statements: Object.fromEntries(told), refused: refused.length, run, error });
  },

  async results_that_cannot_be_told() {
    const ring = {};
    ring.ring = ring;
    const untold = [
      () => new Variables({ n: 17n }),
      () => new Variables(ring),
      () => new Variables({ half: "\ud800" }),
      () => new Variables({ long: "x".repeat(9_000_000) }),
      () => new Variables("a text"),
      () => {
        throw new BusinessError("E1", "so", { n: 17n });
      },
      () => {
        throw new BusinessError(17);
      },
      () => {
        throw new Fail("soon", { retryAfterMs: -1 });
      },
      () => {
        throw Object.create(null);
      },
      () => {
        throw new Error("half \ud800");
      },
    ];
    const worker = new Worker(client, quick);
    worker.handler("mail", ({ payload: { n } }) => (n < untold.length ? untold[n]() : new Variables({ n })));
    const running = worker.run();
    await until(isAllDone);
    worker.stop();
    await running;
    const dead = [];
    for await (const { payload, exceptionMessage } of client.jobs({ place: "dead" })) {
      dead[payload.n] = exceptionMessage;
    }
    print(dead);
  },

  async what_a_handler_throws() {
    class NoSuchOrder extends Error {}
    const worker = new Worker(client, quick);
    worker.handler("mail", ({ payload: { n } }) => {
      const cause = new AggregateError([new TypeError("the first server hung up")], "no server");
      throw n === 0 ? new NoSuchOrder("order 17", { cause }) : new Fail("not sent", { cause });
    });
    const running = worker.run();
    await until(isAllDone);
    worker.stop();
    await running;
    const dead = [];
    for await (const { id, payload } of client.jobs({ place: "dead" })) {
      const { exceptionMessage, exceptionDetails } = await client.job(id);
      dead[payload.n] = [exceptionMessage, exceptionDetails.split("\n").filter((line) => !line.startsWith("    at "))];
    }
    print(dead);
  },

  async misspelt_names() {
    const saidOf = (make) => {
      try {
        return make();
      } catch (error) {
        return `${error.name}: ${error.message}`;
      }
    };
    print([
      () => new Worker(client, { concurency: 1 }),
      () => new Client(origin, { tokn: "" }),
      () => new Fail("no", { retryAfter: 1 }),
      () => insertionOf("sqlite", { handlerType: "mail", retrys: 1 }),
      () => insertionOf("sqlite", { handlerType: "mail", colour: "red" }),
    ].map(saidOf));
  },

  // The bug is in what its requests are made with.
  async a_bug() {
    const finish = async () => {
      throw new RangeError("a bug");
    };
    class Broken extends Client {
      finish = finish;
    }
    process.on("unhandledRejection", () => {}); // As apps do.
    const worker = new Worker(new Broken(origin), { ...quick, lockMs: 1500 }).handler("mail", () => {});
    await worker.run();
    print("ended");
  },

  // The one is what better-sqlite3 has, the other what a pool of mysql2 has.
  async connections() {
    const calls = [];
    const statement = (sql) => ({
      reader: sql.startsWith("SELECT"),
      run: () => calls.push("run"),
      all: () => (calls.push("all"), [{ JOB_ID_: "first" }]),
    });
    const kept = await enqueue({ exec() {}, prepare: statement }, { handlerType: "mail", uniqueKey: "k", onDuplicate: "keep" });
    const pool = await enqueue({ query() {}, escapeId() {}, getConnection() {} }, { handlerType: "mail" }).catch(({ message }) => message);
    print({ kept, calls, pool: pool.includes("a pool has no transaction") });
  },

  // What drivers, and functions around them, return.
  async promises() {
    class Database {}
    const taken = new Error("a key that is taken");
    const ask = async (database, query) => {
      try {
        return await enqueueBy(database, query, { id: "mine", handlerType: "mail" });
      } catch (error) {
        return `${error.name}: ${error.message.replace("query(sql, values) ", "")}`;
      }
    };
    let run = 0;
    const carriedOut = async () => {
      run += 1;
    };
    const lazy = { then: (resolve) => carriedOut().then(resolve) };
    const all = async (some) => Promise.all(some.map(([database, query]) => ask(database, query)));
    const refused = await all([
      ["postgresql", () => {}],
      ["sqlite", () => null],
      ["sqlite", () => new Database()],
      ["mysql", () => true],
      ["mysql", () => ({ changes: 1 })],
    ]);
    const failing = () => {
      throw taken;
    };
    const failed = await all([
      ["postgresql", () => Promise.reject(taken)],
      ["sqlite", failing],
      ["mysql", () => ({ then: (_, reject) => reject(taken) })],
    ]);
    const ids = await all([
      ["postgresql", carriedOut],
      ["mysql", carriedOut],
      ["mysql", () => lazy],
      ["sqlite", () => ({ changes: 1, lastInsertRowid: 1 })],
      ["sqlite", () => ({ changes: 1n })],
    ]);
    print({ refused, failed, ids, run });
  },
};

await cases[name]();
