// graphile-worker with the settings of its own performance page: a local queue, completion in batches, a large pool.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

import { main } from './drain.mjs';

const ENQUEUE_BATCH = 10000;
const quiet = new Logger(() => () => {});

const peer = {
  name: 'graphile-worker',
  table: 'graphile_worker._private_jobs',
  defaults: { nodes: 1, workers: 24, page: 2000 },
  settings: {
    completeJobBatchDelay: '0',
    failJobBatchDelay: '0',
    maxPoolSize: '25',
    enqueueBatch: String(ENQUEUE_BATCH),
  },

  async open(options) {
    this.pool = new pg.Pool({ connectionString: options.db, max: 2 });
    this.utils = await makeWorkerUtils({ connectionString: options.db, logger: quiet });
    await this.utils.migrate();
  },

  async enqueue(count) {
    for (let first = 0; first < count; first += ENQUEUE_BATCH) {
      const size = Math.min(ENQUEUE_BATCH, count - first);
      await this.utils.addJobs(
        Array.from({ length: size }, (_, i) => ({ identifier: 'noop', payload: { number: first + i } })),
      );
    }
  },

  async start(options, succeeded) {
    this.runner = await run({
      preset: {
        worker: {
          connectionString: options.db,
          concurrentJobs: options.workers,
          maxPoolSize: 25,
          localQueue: { size: options.page },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      logger: quiet,
      noHandleSignals: true,
      taskList: { noop: ({ number }) => succeeded(number) },
    });
  },

  async stop() {
    await this.runner.stop();
  },

  async isEmpty() {
    return (await this.pool.query(`SELECT 1 FROM ${this.table} LIMIT 1`)).rowCount === 0;
  },

  async clear() {},

  async close() {
    await this.utils.release();
    await this.pool.end();
  },
};

await main(peer);
