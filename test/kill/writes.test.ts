import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { jobs, openContext } from '../../packages/webcrawl/internal.js';
import { testFolder } from '../support/files/temp-folder.js';
import { stepsOf } from '../support/run-worker.js';
import { runs } from '../support/runs.js';
import { allRows } from '../support/test-crawl.js';
import { links } from '../support/web/fake-web.js';
import { serveWeb } from '../support/web/serve-web.js';

const WORKER = fileURLToPath(new URL('graph-worker.mjs', import.meta.url));
const SETTINGS = { 'fetcher.serverDelay': 0, 'parser.threads': 0 };
const PAGES = Array.from({ length: 12 }, (_, i) => [`/${i}`, { html: links('/0', `/${i + 1}`, `/x${i}`) }] as const);
/** Each job, and a number of steps that it has at least: writes of one row, and calls on files. Kills are spread evenly over them. */
const STEPS = [
  ['inject', 24],
  ['generate', 40],
  ['fetch', 24],
  ['parse', 12],
  ['updatedb', 40],
] as const;

/** The rows without times and batch ids, which differ between two runs, and what repair finds. A kill may leave stale entries. */
async function endOf(table: string): Promise<object> {
  await using crawl = await openContext({ table: `level:${table}` });
  const { counters } = await jobs.repair(crawl);
  const rows = (await allRows(crawl)).map(({ marks, ...row }) => ({ ...row, marks: Object.keys(marks ?? {}) }));
  const isTime = (name: string): boolean => /(At|Ms|since|headers)$/.test(name);
  const found = Object.keys(counters).filter((name) => !name.startsWith('stale'));
  return {
    found,
    rows: JSON.parse(JSON.stringify(rows, (name, value: unknown) => (isTime(name) ? undefined : value))) as unknown,
  };
}

test('jobs that are killed at one step each and run again leave the table of undisturbed jobs', async () => {
  await using web = Object.assign(await serveWeb(Object.fromEntries(PAGES)), {
    [Symbol.asyncDispose]: () => web.close(),
  });
  const seeds = PAGES.map(([path]) => web.origin + path);
  const folder = testFolder();
  const kills = runs(2, 20);
  const ends: object[] = [];
  for (let run = 0; run <= kills; run++) {
    const table = join(folder, String(run));
    for (const [job, steps] of STEPS) {
      const options = { inject: { seeds }, generate: {} }[job as string] ?? { batch: 'all' };
      const killAt = Math.ceil((run * steps) / (kills + 1));
      const args = [table, job, JSON.stringify(options), killAt, JSON.stringify(SETTINGS)];
      if (run > 0) expect(await stepsOf(WORKER, ...args), `${job} at ${killAt}`).toBeUndefined();
      await using crawl = await openContext({ table: `level:${table}`, settings: SETTINGS });
      await jobs[job](crawl, options as never);
    }
    ends.push(await endOf(table));
  }
  expect(ends[0]).toMatchObject({ found: ['rows'], rows: { length: 25 } });
  for (const end of ends.slice(1)) expect(end).toEqual(ends[0]);
});
