// Camunda's own client for external tasks, unmodified, does JOBS jobs of the service at ORIGIN; which of them go wrong, their
// numbers say. Usage: node camunda_worker.mjs ORIGIN JOBS
import { Client, Variables } from "camunda-external-task-client-js";

const [origin, jobs] = [process.argv[2], Number(process.argv[3])];
const client = new Client({
  baseUrl: `${origin}/engine-rest`,
  workerId: "js-worker",
  maxTasks: 50,
  asyncResponseTimeout: 10000,
  interval: 0,
});
const runs = new Map();
let ended = 0;

function end() {
  ended += 1;
  if (ended === jobs) {
    client.stop();
    console.log(JSON.stringify({ ended, runs: [...runs.values()].reduce((sum, count) => sum + count, 0) }));
    process.exit(0);
  }
}

client.subscribe("invoice", { lockDuration: 60000 }, async ({ task, taskService }) => {
  const number = task.variables.get("n");
  const run = (runs.get(number) ?? 0) + 1;
  runs.set(number, run);
  if (run === 1 && number % 10 === 0) {
    await taskService.handleFailure(task, { errorMessage: "once", errorDetails: "a trace", retries: task.retries - 1, retryTimeout: 20 });
    return;
  }
  if (run === 1 && number % 10 === 1) {
    await taskService.handleFailure(task, { errorMessage: "as the cycle says" });
    return;
  }
  if (number % 10 === 2) {
    await taskService.handleFailure(task, { errorMessage: "never", retries: 0 });
  } else if (number % 10 === 3) {
    await taskService.handleBpmnError(task, "E1", "because");
  } else if (number % 10 === 4) {
    await taskService.extendLock(task, 90000);
    await taskService.complete(task, new Variables().set("total", number).set("lines", [1, { a: null }]));
  } else if (number % 10 === 5 && run === 1) {
    await taskService.unlock(task);
    return;
  } else {
    await taskService.complete(task);
  }
  end();
});
