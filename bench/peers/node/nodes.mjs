// Nodes are processes of their own, as Node.js has one thread: the same program again, which talks to its parent.
import { fork } from 'node:child_process';

const NODE_MARK = '--as-node';
const REPORT_EVERY_MS = 5;

export function isNode() {
  return process.argv.includes(NODE_MARK);
}

/** Starts `options.nodes` processes that wait; `succeeded` will be called with the number of each job that they ran. */
export async function startNodes(options, succeeded) {
  const nodes = Array.from({ length: options.nodes }, () =>
    fork(process.argv[1], [NODE_MARK, JSON.stringify(options)], { serialization: 'advanced' }),
  );
  const receive = (message) => {
    for (const number of message.ran ?? []) succeeded(number);
  };
  await Promise.all(nodes.map((node) => nextMessage(node)));
  for (const node of nodes) node.on('message', receive);
  return {
    begin: () => nodes.forEach((node) => node.send('begin')),
    /** Resolves when all have said what they ran, with the CPU time that they used since they began. */
    stop: async () => {
      const lastWords = nodes.map((node) => nextMessage(node, (message) => message.cpuMicros !== undefined));
      nodes.forEach((node) => node.send('stop'));
      return (await Promise.all(lastWords)).reduce((sum, message) => sum + message.cpuMicros, 0);
    },
  };
}

function nextMessage(node, isWanted = () => true) {
  return new Promise((resolve, reject) => {
    node.on('message', (message) => isWanted(message) && resolve(message));
    node.on('exit', (code) => reject(new Error(`a node ended with code ${code}`)));
  });
}

export function serveAsNode(peer) {
  const options = JSON.parse(process.argv[process.argv.indexOf(NODE_MARK) + 1]);
  let ran = [];
  let cpu;
  const report = () => {
    if (ran.length > 0) process.send({ ran: Int32Array.from(ran) });
    ran = [];
  };
  process.on('disconnect', () => process.exit(1));
  process.on('message', async (message) => {
    if (message === 'begin') {
      cpu = process.cpuUsage();
      setInterval(report, REPORT_EVERY_MS);
      await peer.start(options, (number) => ran.push(number));
    } else {
      await peer.stop();
      report();
      const used = process.cpuUsage(cpu);
      process.send({ cpuMicros: used.user + used.system }, () => process.exit(0));
    }
  });
  process.send('ready');
}
