// What types_test.py expects the types of the JavaScript package to refuse: each line from here on has one error.
import { Client } from "jobstrand";
const client = new Client("http://127.0.0.1:8080");
await client.dead.requeue(undefined, { tpye: "mail" });
await client.jobs.cancel(["a"]);
export const type: number = (await client.jobs.get("a")).handlerType;
