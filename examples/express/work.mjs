import { Worker } from "jobstrand";
import { database } from "./database.mjs";

const worker = new Worker(process.env.JOBSTRAND_URL ?? "http://127.0.0.1:8080");
worker.handler("mail", async (job) => {
  const { id, item } = database.prepare("SELECT id, item FROM orders WHERE id = ?").get(job.payload.order);
  console.log(`mail for order ${id}: ${item}`);
});
await worker.run();
