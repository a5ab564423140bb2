// What operations_test.py asks of the JavaScript package: node javascript_operations.mjs PACKAGE ORIGIN IDS. The ids are of dead
// letters, two of mail and one of sms; there is a series. Exit code 0: all is so.
import assert from "node:assert/strict";
import { createServer } from "node:http";

const [, , source, origin, ...ids] = process.argv;
const { Client, Conflict, Invalid, NotFound, Unreachable } = await import(`${source}/src/index.js`);
const client = new Client(origin);
const kHourMs = 3_600_000;

async function all(items) {
  const list = [];
  for await (const item of items) {
    list.push(item);
  }
  return list;
}

assert.deepEqual((await all(client.jobs({ place: "dead", limit: 1 }))).map(({ id }) => id), [...ids].sort());
assert.deepEqual((await all(client.dead.list({ limit: 1 }))).map(({ id }) => id).sort(), [...ids].sort());
assert.equal((await client.jobs.get(ids[0])).handlerType, "mail");
const groups = await all(client.dead.groups());
assert.deepEqual(Object.fromEntries(groups.map(({ handlerType, jobs }) => [handlerType, jobs])), { mail: 2, sms: 1 });
assert.equal((await client.dead.requeue(undefined, { type: "mail", dryRun: true })).items.length, 2);
assert.equal((await client.dead.requeue(undefined, { type: "mail", createdAfter: new Date(0), dueIn: kHourMs, spread: 60_000 })).requeued, 2);
assert.equal((await client.dead.requeue(ids[2], { dueIn: kHourMs })).items[0].answer, "requeued");
assert.equal((await client.jobs.set(ids, { priority: 7 })).items.length, 3);
assert.deepEqual((await all(client.jobs.list({ place: "timer", priorityMin: 7 }))).map(({ id }) => id), [...ids].sort());
assert.equal((await client.jobs.delete(undefined, { place: "timer", type: ["mail", "sms"] })).removed, 3);
const [{ series }] = await all(client.series.list());
assert.equal((await client.series.pause(series))[0].answer, "paused");
await client.series.reschedule(series, { repeat: "R/PT2H" });
assert.equal((await client.series.get(series)).repeat, "R/PT2H");
assert.equal((await client.limits.set("type:mail", { concurrent: 3 })).concurrent, 3);
assert.equal(await client.limits.delete("type:mail"), null);
for await (const { name, data } of client.events()) {
  assert.ok(["node", "stats"].includes(name) && data !== undefined);
  break;
}
await assert.rejects(client.jobs.get("none"), NotFound);
await assert.rejects(client.jobs.delete([]), Invalid);
await client.enqueue({ id: "mine", handlerType: "noop", dueDate: kHourMs });
await assert.rejects(client.enqueue({ id: "mine", handlerType: "noop" }), Conflict);
assert.throws(() => client.dead.requeue(undefined, { tpye: "mail" }), { message: 'dead.requeue has no "tpye"; did you mean "type"?' });

// A service that hangs up at first.
const asked = [];
const flaky = createServer((request, response) => {
  asked.push([request.method, request.headers["idempotency-key"]]);
  if (asked.length === 1) {
    request.socket.destroy();
  } else {
    response.end(JSON.stringify({ id: "a", ids: [], items: [], after: null }));
  }
});
await new Promise((resolve) => flaky.listen(0, "127.0.0.1", resolve));
const unsteady = new Client(`http://127.0.0.1:${flaky.address().port}`);
assert.equal((await unsteady.enqueue({ handlerType: "mail" })).id, "a");
assert.equal(asked.length, 2);
assert.ok(asked[0][1] !== undefined && asked[0][1] === asked[1][1], "asked again with the same key");
asked.length = 0;
assert.deepEqual(await all(unsteady.jobs.list()), []);
asked.length = 0;
await assert.rejects(unsteady.dead.requeue("a"), Unreachable);
assert.equal(asked.length, 1, "what changes something is not asked again");
flaky.close();
flaky.closeAllConnections();
