import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobs, openCrawl, type Crawl } from '../../packages/webcrawl/index.js';
import { dumpIndex } from '../support/index/dump-index.js';
import { round } from '../support/job-steps.js';
import { fakeWeb, randomNumbers, randomWeb } from '../support/web/fake-web.js';

const WORKER = fileURLToPath(new URL('index-worker.mjs', import.meta.url));
const KILLS = 12;
const START = 1_700_000_000_000;

let folder: string;
/** Pages that no index has seen; and the same with an index that lags by some batches. */
const tables = ['first', 'later'] as const;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-index-kill-'));
  const { pages, seeds } = randomWeb(5, 300, 8);
  const web = fakeWeb(pages);
  let now = START;
  const open = (table: string): Promise<Crawl> =>
    openCrawl({
      table: `level:${join(folder, table)}`,
      plugins: [web],
      settings: { 'fetcher.serverDelay': 0, 'fetcher.backoffMin': 0 },
      clock: () => now,
      random: randomNumbers(1),
      lookup: () => Promise.resolve(['127.0.0.1']),
    });
  {
    await using crawl = await open('first');
    await jobs.inject(crawl, { seeds });
    await round(crawl);
    await round(crawl);
  }
  await cp(join(folder, 'first'), join(folder, 'later'), { recursive: true });
  await using crawl = await open('later');
  await jobs.index(crawl);
  await round(crawl);
  now += 40 * 86_400_000;
  for (const [i, [url, page]] of Object.entries(pages).entries()) {
    if (i % 5 === 0 && page.html !== undefined) web.set(url, { html: `<title>new ${i}</title>${page.html}` });
    if (i % 11 === 0 && !seeds.includes(url)) web.set(url, undefined);
  }
  await round(crawl);
  await round(crawl);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs it in a process of its own; the steps it took, or undefined when it was killed. */
function runIn(table: string, options: object, killAt: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [WORKER, table, JSON.stringify(options), String(killAt)]);
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

/** What is in the index, which rows are marked, and which batches wait. */
async function stateOf(table: string): Promise<unknown> {
  const index = await dumpIndex(join(table, 'index'));
  await using crawl = await openCrawl({ table: `level:${table}` });
  const marked: unknown[] = [];
  for await (const { url, marks } of crawl.pages({ fields: ['marks'] }))
    if (marks?.index) marked.push([url, marks.index]);
  const { batches } = crawl.tables;
  const left = [...(await batches.list()), ...(await batches.listUpdated())];
  return { index, marked, batches: left.map(({ state }) => state) };
}

test.each(tables)(`index killed ${KILLS} times ends in the same index: %s`, async (name) => {
  const [whole, killed] = [join(folder, `${name}-whole`), join(folder, `${name}-killed`)];
  const anew = async (copy: string): Promise<void> => {
    await rm(copy, { recursive: true, force: true });
    await cp(join(folder, name), copy, { recursive: true });
  };
  await anew(whole);
  const steps = (await runIn(whole, {}, 0))!;
  const expected = await stateOf(whole);
  expect(expected).toMatchObject({ batches: [] });
  const random = randomNumbers(3);
  await anew(killed);
  for (let kills = 0; kills < KILLS;) {
    if ((await runIn(killed, {}, 1 + Math.floor(random() * steps))) === undefined) kills += 1;
    else {
      // It came to its end, so there is nothing left to be killed in.
      expect(await stateOf(killed)).toEqual(expected);
      await anew(killed);
    }
  }
  await runIn(killed, {}, 0);
  expect(await stateOf(killed)).toEqual(expected);
});
