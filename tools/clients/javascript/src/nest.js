import { Logger, Module, SetMetadata } from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from "@nestjs/core";

import { Client } from "./client.js";
import { refuseOthers } from "./names.js";
import { Worker } from "./worker.js";

const kOptions = Symbol("the options of JobstrandModule");
const kHandler = "jobstrand:handler";
const kOwn = ["token", "url", "worker"];
const kOfWorker = ["concurrency", "graceMs", "lockMs", "name", "tenantId", "waitMs"];

/**
 * Marks a method of a provider as the handler of a handler type, as Worker.handler() has it:
 *
 *     @JobHandler("mail")
 *     async send(job: Job<{ order: number }>) { ... }
 */
export const JobHandler = (topic, options = {}) => SetMetadata(kHandler, { topic, options });

/**
 * Provides a Client of the service, and runs a worker for all methods with @JobHandler: from when the app is up until it is closed, and
 * then until running handlers have ended. `worker: false`: none, in a process that only enqueues.
 *
 *     imports: [JobstrandModule.forRoot({ url: "http://127.0.0.1:8080" })]
 */
export class JobstrandModule {
  static forRoot(options) {
    return moduleWith({ provide: kOptions, useValue: options });
  }

  /** With options that a factory makes, of what it has injected. */
  static forRootAsync({ imports, inject, useFactory }) {
    return moduleWith({ provide: kOptions, inject, useFactory }, imports);
  }
}
Module({})(JobstrandModule);

function moduleWith(options, imports = []) {
  return {
    module: JobstrandModule,
    global: true,
    imports: [...imports, DiscoveryModule],
    providers: [
      options,
      { provide: Client, inject: [kOptions], useFactory: ({ url, token }) => new Client(url, { token }) },
      {
        provide: HandlersOfApp,
        inject: [kOptions, Client, DiscoveryService, MetadataScanner, Reflector],
        useFactory: (...parts) => new HandlersOfApp(...parts),
      },
    ],
    exports: [Client],
  };
}

/** Its hooks are called by Nest. */
class HandlersOfApp {
  #logger = new Logger("Jobstrand");
  #options;
  #client;
  #discovery;
  #scanner;
  #reflector;
  #worker;
  #running;

  constructor(options, client, discovery, scanner, reflector) {
    refuseOthers("JobstrandModule", options, [...kOwn, ...kOfWorker]);
    this.#options = options;
    this.#client = client;
    this.#discovery = discovery;
    this.#scanner = scanner;
    this.#reflector = reflector;
  }

  onApplicationBootstrap() {
    const handlers = this.#options.worker === false ? [] : this.#found();
    if (handlers.length === 0) {
      return;
    }
    const own = Object.entries(this.#options).filter(([name]) => kOfWorker.includes(name));
    // Signals are the app's: enableShutdownHooks().
    this.#worker = new Worker(this.#client, { ...Object.fromEntries(own), signals: false, log: (line) => this.#logger.log(line) });
    handlers.forEach(({ topic, handle, options }) => this.#worker.handler(topic, handle, options));
    this.#running = this.#worker.run().catch((error) => this.#logger.error(`the worker has ended: ${error.message}`, error.stack));
  }

  /** Before connections of databases are closed, which handlers may need. */
  async beforeApplicationShutdown() {
    this.#worker?.stop();
    await this.#running;
  }

  #found() {
    const found = new Map();
    for (const wrapper of this.#discovery.getProviders()) {
      const prototype = wrapper.instance && Object.getPrototypeOf(wrapper.instance);
      for (const name of prototype ? this.#scanner.getAllMethodNames(prototype) : []) {
        const handler = this.#reflector.get(kHandler, prototype[name]);
        if (handler === undefined) {
          continue;
        }
        const where = `${wrapper.name}.${name}`;
        if (!wrapper.isDependencyTreeStatic()) {
          throw new TypeError(`${where} handles jobs, which belong to no request: its class must not be of a request`);
        }
        if (found.has(handler.topic)) {
          throw new TypeError(`${where} and ${found.get(handler.topic).where} both handle ${handler.topic}`);
        }
        found.set(handler.topic, { ...handler, where, handle: (job) => wrapper.instance[name](job) });
      }
    }
    return [...found.values()];
  }
}
