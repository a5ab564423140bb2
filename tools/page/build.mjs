// Bundles the page: node build.mjs FOLDER. What it writes is what the service has at `/` and `/page/`.
import { context, build } from 'esbuild';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));

export function options(folder, isForUsers) {
  return {
    entryPoints: { page: join(here, 'src/main.tsx') },
    outdir: folder,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: isForUsers,
    sourcemap: isForUsers ? false : 'inline',
    legalComments: 'none',
    logLevel: 'warning',
  };
}

export async function copyRest(folder) {
  await mkdir(folder, { recursive: true });
  await copyFile(join(here, 'index.html'), join(folder, 'index.html'));
  await copyFile(join(here, 'src/icon.svg'), join(folder, 'icon.svg'));
}

async function compress(folder) {
  for (const name of ['index.html', 'icon.svg', 'page.js', 'page.css']) {
    await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(folder, name)), { level: 9 }));
  }
}

export const watch = async (folder) => (await context(options(folder, false))).watch();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (!folder) {
    console.error('usage: node build.mjs FOLDER');
    process.exit(2);
  }
  await copyRest(folder);
  await build(options(folder, true));
  await compress(folder);
}
