// What `jobstrand/nest` claims, for frameworks_test.py: prints what has come out. JavaScript has no decorators: they are called.
import "reflect-metadata";
import { Injectable, Module, Scope } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Client } from "jobstrand";
import { JobHandler, JobstrandModule } from "jobstrand/nest";

const url = process.env.JOBSTRAND_URL;

function handling(type, options = {}) {
  JobHandler("mail")(type.prototype, "send", Object.getOwnPropertyDescriptor(type.prototype, "send"));
  Injectable(options)(type);
  return type;
}

async function started(imports, providers) {
  class App {}
  Module({ imports, providers })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  return app;
}

const saidOf = (imports, providers) => started(imports, providers).then(() => "started", (error) => `${error.name}: ${error.message}`);

let done = 0;
let begun;
const hasBegun = new Promise((resolve) => (begun = resolve));
let end;
const mayEnd = new Promise((resolve) => (end = resolve));

const Mail = handling(
  class Mail {
    async send({ payload }) {
      if (payload.n === 9) {
        begun();
        await mayEnd;
      }
      done += 1;
    }
  },
);

const app = await started([JobstrandModule.forRootAsync({ useFactory: async () => ({ url, waitMs: 1000 }) })], [Mail]);
const client = app.get(Client);
await client.enqueueAll(Array.from({ length: 10 }, (_, n) => ({ handlerType: "mail", external: true, payload: { n } })));
await hasBegun;
let isClosed = false;
const closing = app.close().then(() => (isClosed = true));
await new Promise(setImmediate);
const closedAfterTheHandler = !isClosed;
end();
await closing;

class A {
  send() {}
}
class B {
  send() {}
}
class OfRequest {
  send() {}
}
const plain = () => [JobstrandModule.forRoot({ url })];
const result = {
  done,
  closedAfterTheHandler,
  external: (await client.stats()).places.external,
  twice: await saidOf(plain(), [handling(A), handling(B)]),
  ofARequest: await saidOf(plain(), [handling(OfRequest, { scope: Scope.REQUEST })]),
  misspelt: await saidOf([JobstrandModule.forRoot({ url, concurency: 3 })], []),
};
console.log(JSON.stringify(result));
