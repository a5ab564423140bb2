// pg-boss with large batches, fetched again at once while they come full, by several workers.
import pg from 'pg';
import { PgBoss } from 'pg-boss';

import { main } from './drain.mjs';

const ENQUEUE_BATCH = 5000;
const QUEUE = 'noop';

const peer = {
  name: 'pg-boss',
  table: 'pgboss.job',
  defaults: { nodes: 2, workers: 4, page: 5000 },
  settings: { burstWhenBatchFull: 'true', pollingIntervalSeconds: '0.5', enqueueBatch: String(ENQUEUE_BATCH) },

  async open(options) {
    this.pool = new pg.Pool({ connectionString: options.db, max: 2 });
    this.boss = await startBoss(options);
    await this.boss.createQueue(QUEUE);
  },

  async enqueue(count) {
    for (let first = 0; first < count; first += ENQUEUE_BATCH) {
      const size = Math.min(ENQUEUE_BATCH, count - first);
      await this.boss.insert(QUEUE, Array.from({ length: size }, (_, i) => ({ data: { number: first + i } })));
    }
  },

  async start(options, succeeded) {
    this.boss = await startBoss(options);
    const fetching = {
      batchSize: options.page,
      localConcurrency: options.workers,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await this.boss.work(QUEUE, fetching, async (jobs) => {
      for (const job of jobs) succeeded(job.data.number);
    });
  },

  async stop() {
    await this.boss.offWork(QUEUE, { wait: true });
  },

  // Finished jobs stay in the table, as pg-boss keeps them.
  async isEmpty() {
    const left = `SELECT 1 FROM ${this.table} WHERE name = '${QUEUE}' AND state <> 'completed' LIMIT 1`;
    return (await this.pool.query(left)).rowCount === 0;
  },

  async clear() {
    await this.boss.deleteAllJobs(QUEUE);
  },

  async close() {
    await this.boss.stop({ graceful: false });
    await this.pool.end();
  },
};

async function startBoss(options) {
  const boss = new PgBoss({ connectionString: options.db, max: 20, supervise: false, schedule: false });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
}

await main(peer);
