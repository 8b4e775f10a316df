// `npm run manuals`: fetches manuals of Debian in English, Chinese, Japanese, Korean and Russian (once, below bench/.peers), serves them by
// nginx on loopback, crawls them, and serves a search page of them until it is stopped. Further arguments go to `webcrawl crawl`. The table
// is in a temporary folder and is removed at the end, unless --table names another.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from '../scripts/run-node.mjs';
import { compile } from './compile.mjs';

const COMMAND = fileURLToPath(new URL('../dist/bin/webcrawl.js', import.meta.url));
const INSTALL = fileURLToPath(new URL('install.sh', import.meta.url));
/** The server is our own, so there is no delay between requests. */
const SETTINGS = ['--set', 'fetcher.serverDelay=0', '--set', 'fetcher.threadsPerQueue=8'];

try {
  await compile();
  if (spawnSync('bash', [INSTALL, 'nginx', 'relevance'], { stdio: ['ignore', 2, 2] }).status !== 0)
    throw new Error('the manuals cannot be fetched here; the lines above say why');
  const { serveManuals } = await import('../dist/bench/lib/manual-site.js');
  const site = await serveManuals();
  const work = mkdtempSync(join(tmpdir(), 'webcrawl-manuals-table-'));
  try {
    const { en, zh, ja, ko, ru } = site.pages;
    console.error(
      `manuals: ${en + zh + ja + ko + ru} pages (English ${en}, Chinese ${zh}, Japanese ${ja}, Korean ${ko}, Russian ${ru})`,
    );
    console.error(`manuals: served at ${site.url} by ${site.server}\n`);
    const table = ['--table', `level:${join(work, 'table')}`];
    process.exitCode = await runNode([
      COMMAND,
      'crawl',
      site.seeds,
      '--serve',
      ...table,
      ...SETTINGS,
      ...process.argv.slice(2),
    ]);
  } finally {
    await site.close();
    rmSync(work, { recursive: true, force: true });
  }
} catch (error) {
  console.error(`manuals: ${error.message}`);
  process.exitCode = 1;
}
