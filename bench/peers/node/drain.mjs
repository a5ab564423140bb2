// Measures how fast a peer drains a prepared backlog of no-op jobs, and prints the JSON of bench/README.md.
import { release, cpus, totalmem, type } from 'node:os';

import pg from 'pg';

import { Ledger } from './ledger.mjs';
import { isNode, startNodes, serveAsNode } from './nodes.mjs';
import { readOptions } from './options.mjs';
import { check, figure, versionOf } from './result.mjs';

/**
 * Runs the program of one peer: the measurement, or a node that this started. `peer` has `name`, which is also its
 * package, `defaults` for options, `settings` (texts), `table`, where its jobs are, and
 *
 * for the measurement: open(options); enqueue(count): jobs with the payload {number: 0 ... count-1}, in bulk;
 * isEmpty(): nothing is left to do; clear(): makes room for the next repetition; close().
 *
 * for a node: start(options, run): from now on calls run(number) for each job; stop().
 */
export async function main(peer) {
  if (isNode()) {
    serveAsNode(peer);
    return;
  }
  const options = readOptions(peer);
  const startedAt = new Date().toISOString();
  const environment = await environmentOf(peer, options);
  await peer.open(options);
  const problems = { ended: '', once: '', empty: '' };
  const runs = await measure(peer, options, problems);
  await peer.close();
  const checks = [
    check('the jobs ended within the time limit', problems.ended),
    check('every job succeeded exactly once', problems.once),
    check('the tables are empty at the end', problems.empty),
  ];
  const result = {
    format: 'jobstrand-bench/1',
    scenario: 'drain',
    startedAt,
    passed: checks.every((one) => one.passed),
    environment,
    settings: settingsOf(peer, options),
    figures: [
      figure('drain', 'jobs/s', runs.map((run) => run.drain)),
      figure('enqueue', 'jobs/s', runs.map((run) => run.enqueue)),
      figure('CPU time per job', 'us', runs.map((run) => run.cpuMicros)),
    ],
    latencies: [],
    series: [],
    checks,
  };
  process.stdout.write(JSON.stringify(result, null, 2) + '\n', () => process.exit(result.passed ? 0 : 1));
}

async function measure(peer, options, problems) {
  if (options.warmUp > 0) await drain(peer, options.warmUp, options, problems);
  const runs = [];
  for (let i = 0; i < options.repeat && !problems.ended; ++i) {
    runs.push(await drain(peer, options.jobs, options, problems));
    process.stderr.write(`${peer.name}: ${Math.round(runs.at(-1).drain)} jobs/s\n`);
  }
  return runs;
}

// The clock runs from the order to start, the programs themselves being up, to the moment when nothing is left.
async function drain(peer, jobs, options, problems) {
  const ledger = new Ledger(jobs);
  const enqueueBegan = performance.now();
  await peer.enqueue(jobs);
  const enqueueEnded = performance.now();
  await vacuum(peer, options);
  const nodes = await startNodes(options, (number) => ledger.succeeded(number));
  const began = performance.now();
  nodes.begin();
  const over = await untilEmpty(peer, ledger, jobs, began + options.timeLimit * 1000);
  const ended = performance.now();
  const cpuMicros = await nodes.stop();
  problems.ended ||= over ? '' : `${ledger.count} of ${jobs} jobs succeeded in time`;
  problems.once ||= ledger.mistakes();
  problems.empty ||= (await peer.isEmpty()) ? '' : 'jobs are left';
  await peer.clear();
  return {
    drain: jobs / ((ended - began) / 1000),
    enqueue: jobs / ((enqueueEnded - enqueueBegan) / 1000),
    cpuMicros: cpuMicros / jobs,
  };
}

// The server would do it by itself within a minute or so; what it has not done yet can spoil its plans.
async function vacuum(peer, options) {
  const client = new pg.Client({ connectionString: options.db });
  await client.connect();
  await client.query(`VACUUM (ANALYZE) ${peer.table}`);
  await client.end();
}

async function untilEmpty(peer, ledger, jobs, giveUp) {
  while (performance.now() < giveUp) {
    if (ledger.count >= jobs && (await peer.isEmpty())) return true;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return false;
}

async function environmentOf(peer, options) {
  const client = new pg.Client({ connectionString: options.db });
  await client.connect();
  const show = async (name) => (await client.query(`SHOW ${name}`)).rows[0][name];
  const environment = {
    program: `${peer.name} ${versionOf(peer.name)}`,
    compiler: `Node.js ${process.versions.node}, pg ${versionOf('pg')}`,
    cpu: cpus()[0]?.model ?? '',
    cpus: String(cpus().length),
    memory: `${Math.round(totalmem() / 1024)} kB`,
    system: `${type()} ${release()}`,
    database: `PostgreSQL ${await show('server_version')}`,
    durability: `fsync=${await show('fsync')}, synchronous_commit=${await show('synchronous_commit')}`,
    url: options.db.replace(/:[^:@/]*@/, ':***@'),
  };
  await client.end();
  return environment;
}

function settingsOf(peer, options) {
  const told = ['jobs', 'workers', 'page', 'nodes', 'warmUp', 'repeat'];
  return { ...Object.fromEntries(told.map((name) => [name, String(options[name])])), ...peer.settings };
}
