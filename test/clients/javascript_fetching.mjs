// How many jobs a worker of the JavaScript package fetches, and what it gives back, on a clock that is set here:
// node javascript_fetching.mjs PACKAGE. Exit code 0: all is so.
import assert from "node:assert/strict";

const [, , source] = process.argv;
const { kAheadMs } = await import(`${source}/src/forecast.js`);
const { JobsInHand } = await import(`${source}/src/in_hand.js`);

let now = 1000;
let names = 0;

const inHand = (places, ...topics) => new JobsInHand(places, topics, () => now);
const jobs = (count, handlerType = "mail") => Array.from({ length: count }, () => ({ job: { id: `job-${(names += 1)}`, handlerType } }));
const roomOf = (held) => [held.room().free, held.room().ahead];

function take(held) {
  const taken = [];
  for (let one = held.take(); one !== undefined; one = held.take()) {
    taken.push(one);
  }
  return taken;
}

/** Runs what waits, each for so long, at all places, and tells of it. */
function runAll(held, ms) {
  for (let taken = take(held); taken.length > 0; taken = take(held)) {
    now += ms;
    taken.forEach((one) => (held.freePlaceOf(one), held.forget(one)));
  }
}

function warmed(ms, places, ...topics) {
  const held = inHand(places, ...topics);
  for (let i = 0; i < 3; i += 1) {
    held.add(jobs(50));
    runAll(held, ms);
  }
  return held;
}

function isBetween(value, least, most) {
  assert.ok(value >= least && value <= most, `${value} is not from ${least} to ${most}`);
}

{
  const held = inHand(4, "mail");
  assert.deepEqual(roomOf(held), [4, 0], "nothing is fetched ahead of a topic that has not run");
  held.add(jobs(4));
  assert.equal(take(held).length, 4);
  assert.deepEqual(roomOf(held), [0, 0]);
}
{
  const held = warmed(1, 1, "mail");
  isBetween(held.room().ahead, 45, 50); // 50 ms of 1 ms each.
  held.add(jobs(40));
  assert.deepEqual(roomOf(held), [0, 0], "not for a few");
}
assert.deepEqual(roomOf(warmed(2 * kAheadMs, 4, "mail")), [4, 0], "long jobs are not fetched ahead");
{
  const held = warmed(1, 4, "mail");
  isBetween(held.room().ahead, 180, 200);
  held.add(jobs(3));
  take(held);
  now += 2 * kAheadMs;
  isBetween(held.room().ahead, 45, 50); // Of the place that is left.
}
{
  const held = warmed(1, 1, "mail");
  const some = jobs(30);
  held.add(some);
  assert.equal(held.take(), some[0]);
  now += 0.9 * kAheadMs;
  assert.deepEqual(held.surplus(), []);
  now += 0.2 * kAheadMs;
  assert.deepEqual(held.surplus(), some.slice(1), "what waits behind a run that has become slow is given back");
  assert.deepEqual(roomOf(held), [0, 0], "the topic is slow now");
}
{
  const held = warmed(1, 2, "mail", "report", "rare");
  held.add(jobs(10, "report"));
  runAll(held, 1000);
  assert.deepEqual(held.room().quick, ["mail"]);
}
{
  const held = inHand(4, "mail");
  for (let i = 0; i < 2; i += 1) {
    held.add(jobs(4));
    take(held).forEach((one) => ((now += 1000), held.freePlaceOf(one)));
  }
  assert.deepEqual(roomOf(held), [0, 0], "no further work begins while results cannot be told");
}
{
  const held = inHand(1, "mail");
  const [first, lost, last] = jobs(3);
  held.add([first, lost, last]);
  held.cancel(lost);
  assert.equal(held.take(), first);
  held.freePlaceOf(first);
  assert.equal(held.take(), last, "a job whose lock is lost while it waits is not run");
}
