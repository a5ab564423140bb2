import type { DynamicModule, FactoryProvider, ModuleMetadata } from "@nestjs/common";

import type { WorkerOptions } from "./index.js";

export interface JobstrandModuleOptions extends Omit<WorkerOptions, "log" | "signals"> {
  url: string;
  /** false: no worker, in a process that only enqueues. */
  worker?: boolean;
}

/** Provides a Client, and runs a worker for all methods with JobHandler while the app is up. */
export class JobstrandModule {
  static forRoot(options: JobstrandModuleOptions): DynamicModule;
  static forRootAsync(
    options: Pick<ModuleMetadata, "imports"> & Pick<FactoryProvider<JobstrandModuleOptions>, "inject" | "useFactory">,
  ): DynamicModule;
}

/** Of a method of a provider; `topic` is the handler type. */
export function JobHandler(topic: string, options?: { timeoutMs?: number; weight?: number }): MethodDecorator;
