import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, rowKeyOf } from '../../packages/webcrawl/index.js';
import { fileDigests } from '../support/file-digests.js';
import { changeRows } from '../support/stores/put-rows.js';
import { randomNumbers } from '../support/web/fake-web.js';

const WORKER = fileURLToPath(new URL('graph-worker.mjs', import.meta.url));
const KILLS = 20;
const PAGES = 4000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-graph-kill-'));
  await using crawl = await openCrawl({ table: `level:${join(folder, 'table')}` });
  const random = randomNumbers(23);
  const url = (n: number): string => `https://h${n % 50}.example/${n}`;
  const rows = Array.from({ length: PAGES }, (_, n) => {
    const links = Array.from({ length: 6 }, () => url(Math.floor(random() ** 2 * PAGES)));
    const outlinks = [...new Set(links)].map((link) => ({ url: link, anchor: '' }));
    return { key: rowKeyOf(url(n)), set: { status: 'fetched' as const, outlinks } };
  });
  for (let at = 0; at < PAGES; at += 500) await changeRows(crawl, rows.slice(at, at + 500));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs it in a process of its own; the steps it took, or undefined when it was killed. */
function runIn(table: string, what: string, options: object, killAt: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [WORKER, table, what, JSON.stringify(options), String(killAt)]);
  let out = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined);
      else if (code === 0) resolve(Number(out));
      else reject(new Error(`it ended with ${code}: ${errors}`));
    });
  });
}

async function ranksOf(table: string): Promise<unknown[]> {
  await using crawl = await openCrawl({ table: `level:${table}` });
  const found: unknown[] = [];
  for await (const page of crawl.pages({ fields: ['rank', 'hostRank', 'outlinks'] })) found.push(page);
  return found;
}

test(`rank killed ${KILLS} times ends with the ranks of a run that nothing disturbed, to the bit`, async () => {
  const [whole, killed, work] = [join(folder, 'whole'), join(folder, 'killed'), join(folder, 'work')];
  for (const copy of [whole, killed]) await cp(join(folder, 'table'), copy, { recursive: true });
  await mkdir(work);
  const steps = (await runIn(whole, 'rank', { folder: work }, 0))!;
  const random = randomNumbers(1);
  for (let kills = 0; kills < KILLS;) {
    // One in two while it writes, which is at its end.
    const at = kills % 2 === 0 ? random() * steps : steps - random() * 30;
    if ((await runIn(killed, 'rank', { folder: work }, Math.max(1, Math.floor(at)))) === undefined) kills += 1;
    else {
      // It came to its end, so there is nothing left to be killed in.
      expect(await ranksOf(killed)).toEqual(await ranksOf(whole));
      await rm(killed, { recursive: true });
      await cp(join(folder, 'table'), killed, { recursive: true });
    }
  }
  await runIn(killed, 'rank', { folder: work }, 0);
  expect(await ranksOf(killed)).toEqual(await ranksOf(whole));
  expect(await readdir(work)).toEqual([]);
});

test(`graph killed ${KILLS} times ends in the same bytes`, async () => {
  const output = join(folder, 'graph', 'pages');
  await mkdir(join(folder, 'graph'));
  const options = { output, level: 'page', format: 'cc' };
  const table = join(folder, 'table');
  const digests = async (): Promise<Record<string, string>> => {
    const found = Object.entries(await fileDigests(join(folder, 'graph')));
    return Object.fromEntries(found.filter(([path]) => path.endsWith('.gz')));
  };
  const steps = (await runIn(table, 'graph', options, 0))!;
  const expected = await digests();
  expect(Object.keys(expected)).toHaveLength(2);
  const random = randomNumbers(2);
  for (let kill = 0; kill < KILLS; kill++) {
    await rm(output, { recursive: true, force: true });
    await runIn(table, 'graph', options, 1 + Math.floor(random() * steps));
  }
  await rm(output, { recursive: true, force: true });
  await runIn(table, 'graph', options, 0);
  expect(await digests()).toEqual(expected);
});
