// Asks for the status of the table in a folder once a second, and prints a line for each answer that shows a crawl at work.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openCrawl, status, type Crawl, type CrawlStatus } from '../../packages/webcrawl/index.js';
import { givenArgument, reply } from '../lib/worker.js';

const COMMAND = fileURLToPath(new URL('../../bin/webcrawl.js', import.meta.url));
const { folder, way } = givenArgument<{ folder: string; way: string }>();
const directory = join(folder, 'table');
let crawl: Crawl | undefined;
// Before the crawl serves its table, and after, there is nobody to ask, and the table must be left alone.
const isServed = (): boolean => existsSync(join(directory, 'live/socket'));
while (!isServed()) await sleep(20);
while (isServed()) {
  await look();
  await sleep(1000);
}
process.exit(0);

async function look(): Promise<void> {
  const { jobs } = way === 'command' ? byCommand() : await status((crawl ??= await openIt()));
  if (jobs.length > 0) reply({ done: jobs[0]?.done });
}

function openIt(): Promise<Crawl> {
  return openCrawl({ table: `level:${directory}`, create: false, name: 'status-asker' });
}

function byCommand(): Pick<CrawlStatus, 'jobs'> {
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'status', '--json', '--table', `level:${directory}`]);
  return stdout.length > 0 ? (JSON.parse(stdout.toString()) as CrawlStatus) : { jobs: [] };
}
