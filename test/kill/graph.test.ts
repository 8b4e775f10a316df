import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { fileDigests } from '../support/files/file-digests.js';
import { stepsOf } from '../support/run-worker.js';
import { runs } from '../support/runs.js';
import { changeRows } from '../support/stores/put-rows.js';
import { randomNumbers } from '../support/web/fake-web.js';

const WORKER = fileURLToPath(new URL('graph-worker.mjs', import.meta.url));
const KILLS = runs(3, 20);
const PAGES = runs(400, 4000);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-graph-kill-'));
  await using crawl = await openContext({ table: `level:${join(folder, 'table')}` });
  const random = randomNumbers(23);
  const url = (n: number): string => `https://h${n % 50}.example/${n}`;
  const rows = Array.from({ length: PAGES }, (_, n) => {
    const links = Array.from({ length: 6 }, () => url(Math.floor(random() ** 2 * PAGES)));
    const outlinks = [...new Set(links)].map((link) => ({ url: link, anchor: '' }));
    // Of three pages, the second has the text of the first, and the third nearly the same text.
    const text =
      Array.from({ length: 80 }, (_, i) => `word${n - (n % 3)}-${i}`).join(' ') + (n % 3 === 2 ? ' more' : '');
    const signature = createHash('md5').update(text).digest('hex');
    return { key: rowKeyOf(url(n)), set: { status: 'fetched' as const, outlinks, text, signature } };
  });
  for (let at = 0; at < PAGES; at += 500) await changeRows(crawl, rows.slice(at, at + 500));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a job in its own process. Returns the number of steps, or undefined if it was killed. */
function runIn(table: string, what: string, options: object, killAt: number): Promise<number | undefined> {
  return stepsOf(WORKER, table, what, JSON.stringify(options), killAt);
}

async function rowsOf(table: string): Promise<unknown[]> {
  await using crawl = await openContext({ table: `level:${table}` });
  const found: unknown[] = [];
  for await (const page of crawl.pages({ fields: ['rank', 'hostRank', 'duplicateOf', 'outlinks'] })) found.push(page);
  return found;
}

/** Kills a job several times while it works on a copy of the table, and compares the rows at the end. */
async function endsAsUndisturbed(job: string, options: object): Promise<void> {
  const [whole, killed] = [join(folder, `${job}-whole`), join(folder, `${job}-killed`)];
  for (const copy of [whole, killed]) await cp(join(folder, 'table'), copy, { recursive: true });
  const steps = (await runIn(whole, job, options, 0))!;
  const expected = await rowsOf(whole);
  const random = randomNumbers(1);
  for (let kills = 0; kills < KILLS;) {
    if ((await runIn(killed, job, options, 1 + Math.floor(random() * steps))) === undefined) kills += 1;
    else {
      // The job ended before the kill, so the next kill needs a new copy.
      expect(await rowsOf(killed)).toEqual(expected);
      await rm(killed, { recursive: true });
      await cp(join(folder, 'table'), killed, { recursive: true });
    }
  }
  await runIn(killed, job, options, 0);
  expect(await rowsOf(killed)).toEqual(expected);
}

test(`rank killed ${KILLS} times ends with exactly the ranks of an undisturbed run`, async () => {
  const work = join(folder, 'work');
  await mkdir(work);
  await endsAsUndisturbed('rank', { folder: work });
  expect(await readdir(work)).toEqual([]);
});

test(`dedup killed ${KILLS} times ends with the duplicates of an undisturbed run`, async () => {
  await endsAsUndisturbed('dedup', {});
});

test(`graph killed ${KILLS} times writes the same bytes`, async () => {
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
