// A JavaScript worker does JOBS empty jobs of the service at ORIGIN, and prints how many seconds that took.
// Usage: node worker_rates.mjs ours PACKAGE ORIGIN JOBS  |  node worker_rates.mjs camunda - ORIGIN JOBS
const [, , which, source, origin, count] = process.argv;
const jobs = Number(count);
const begun = process.hrtime.bigint();
let ended = 0;

/** Whether that was the last one. */
function isLast() {
  ended += 1;
  if (ended < jobs) {
    return false;
  }
  console.log(JSON.stringify({ seconds: Number(process.hrtime.bigint() - begun) / 1e9 }));
  return true;
}

async function ours() {
  const { Worker } = await import(`${source}/src/index.js`);
  const worker = new Worker(origin);
  worker.handler("rate", () => {
    if (isLast()) {
      worker.stop();
    }
  });
  await worker.run();
}

async function camunda() {
  const { Client } = await import("camunda-external-task-client-js");
  const client = new Client({ baseUrl: `${origin}/engine-rest`, workerId: "js-worker", maxTasks: 200, asyncResponseTimeout: 10000, interval: 0 });
  client.subscribe("rate", { lockDuration: 60000 }, async ({ task, taskService }) => {
    await taskService.complete(task);
    if (isLast()) {
      process.exit(0);
    }
  });
}

await { ours, camunda }[which]();
