// Shows the page while it is written: node dev.mjs [SERVICE [PORT]]. Sources are bundled anew when they change, and
// what is not the page is asked of a running service, http://127.0.0.1:8080 unless another is named.
import { createReadStream } from 'node:fs';
import { stat, mkdtemp } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { copyRest, watch } from './build.mjs';

const service = new URL(process.argv[2] ?? 'http://127.0.0.1:8080');
const port = Number(process.argv[3] ?? 8090);
const folder = await mkdtemp(join(tmpdir(), 'jobstrand-page-'));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

await copyRest(folder);
await watch(folder);

createServer(async (asked, answer) => {
  const path = new URL(asked.url, 'http://page').pathname;
  const file = path === '/' ? 'index.html' : /^\/page\/([\w.-]+)$/.exec(path)?.[1];
  if (file) {
    const name = join(folder, file);
    const isThere = await stat(name).then(() => true, () => false);
    answer.writeHead(isThere ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'text/plain', 'Cache-Control': 'no-store' });
    return isThere ? createReadStream(name).pipe(answer) : answer.end();
  }
  const headers = { ...asked.headers, host: service.host };
  delete headers.origin;
  const onward = request({ host: service.hostname, port: service.port, method: asked.method, path: asked.url, headers }, (found) => {
    answer.writeHead(found.statusCode, found.headers);
    found.pipe(answer);
  });
  onward.on('error', (error) => answer.writeHead(502).end(`no service at ${service.origin}: ${error.message}`));
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/ shows the page of ${service.origin}`));
