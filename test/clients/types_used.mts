// Uses the JavaScript package with its types, for types_test.py; nothing runs it.
import { Client, Worker, enqueueBy, type DeadGroups, type Event } from "jobstrand";

const client = new Client("http://x", { retries: 1 });
const requeued: number | undefined = (await client.dead.requeue(undefined, { type: "mail", probe: true, dueIn: 60_000, createdAfter: new Date(0) })).requeued;
for await (const group of client.dead.groups({ limit: 3 })) {
  const one: DeadGroups = group;
  console.log(one.jobs + 1, requeued);
}
for await (const job of client.jobs({ place: "timer", type: ["mail", "sms"] })) {
  const type: string | null = job.handlerType;
  console.log(type);
}
for await (const job of client.jobs.list({ limit: 3 })) {
  console.log(job.id);
}
await client.series.pause("nightly");
for await (const event of client.events()) {
  const one: Event = event;
  console.log(one.name);
}
const worker = new Worker(client, { concurrency: 10 });
worker.handler<{ order: number }>("mail", async (job) => {
  job.signal.throwIfAborted();
  job.progress(0.4, "page 4 of 10");
  job.log("sent");
  console.log(job.payload.order);
});
await worker.run();
await enqueueBy("postgresql", async () => [], { handlerType: "mail" });
import { Recorder } from "jobstrand/testing";
const jobs = new Recorder({ now: new Date(0) });
const ran = await jobs.run(worker, { raises: false });
console.log(ran[0]?.job.attempt, jobs.waiting[0]?.id);
