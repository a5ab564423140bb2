// jobstrand/testing of the JavaScript package, without a service: node javascript_testing.mjs PACKAGE. Exit code 0: all is so.
import assert from "node:assert/strict";

const [, , source] = process.argv;
const { Client, Conflict, Fail, Worker, enqueue, enqueueBy } = await import(`${source}/src/index.js`);
const { Recorder } = await import(`${source}/src/testing.js`);
const kHourMs = 3_600_000;
const client = new Client("http://127.0.0.1:1");
const noon = new Date("2030-01-01T12:00:00Z");
const jobs = new Recorder({ now: noon });
assert.throws(() => new Recorder(), /another Recorder/);

const said = [];
const worker = new Worker(client);
worker.handler("mail", async ({ payload }) => {
  said.push(payload);
  await enqueueBy("postgresql", () => assert.fail("no statement is run"), { handlerType: "log", payload: { of: payload } });
});
worker.handler("log", ({ payload }) => payload);
await enqueue({}, { handlerType: "mail", payload: 1 });
await client.enqueueAll([{ handlerType: "mail", payload: 2, dueDate: kHourMs }, { handlerType: "mail", payload: 3, dueDate: "PT30M" }]);
assert.deepEqual(jobs.enqueued.map(({ payload }) => payload), [1, 2, 3]);
assert.deepEqual(jobs.waiting.map(({ payload }) => payload), [1, 3, 2]);
assert.deepEqual((await jobs.run(worker)).map(({ returned }) => returned), [undefined, { of: 1 }]);
jobs.advance(kHourMs);
await jobs.run(worker);
assert.deepEqual(said, [1, 3, 2]);
assert.deepEqual(jobs.waiting, []);

worker.handler("import", (job) => {
  job.progress(0.5, "half");
  job.log("one");
});
await client.enqueue({ handlerType: "import" });
await jobs.run(worker);

const attempts = [];
worker.handler("report", ({ attempt }) => {
  attempts.push(attempt);
  throw attempt === 1 ? new Fail("no", { retryAfterMs: kHourMs }) : new RangeError("no");
});
await client.enqueue({ handlerType: "report", retries: 2 });
await jobs.run(worker, { raises: false });
assert.deepEqual(await jobs.run(worker), [], "it waits for an hour");
jobs.advance(kHourMs);
await jobs.run(worker, { raises: false });
assert.deepEqual([attempts, jobs.dead.length], [[1, 2], 1]);
await client.enqueue({ handlerType: "report" });
await assert.rejects(jobs.run(worker), Fail);

const first = await client.enqueue({ handlerType: "mail", uniqueKey: "k" });
await assert.rejects(client.enqueue({ handlerType: "mail", uniqueKey: "k" }), Conflict);
assert.deepEqual(await client.enqueue({ handlerType: "mail", uniqueKey: "k", onDuplicate: "keep" }), { id: first.id, isNew: false, replaced: null });
assert.equal((await client.enqueue({ handlerType: "mail", uniqueKey: "k", onDuplicate: "replace" })).replaced, first.id);
await assert.rejects(client.enqueue({ handlerType: "mail", dueDate: "tomorrow 09:00" }), RangeError);
await assert.rejects(client.enqueue({ handlerType: "mail", payload: 17n }), TypeError);
jobs.end();
