import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { jobs, openContext, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { round } from '../job-steps.js';
import { stepsOf } from '../run-worker.js';
import { runs } from '../runs.js';
import { fakeWeb, randomNumbers, randomWeb } from '../web/fake-web.js';

const WORKER = fileURLToPath(new URL('../../kill/index-worker.mjs', import.meta.url));
const START = 1_700_000_000_000;

/** A table without an index; and a table whose index lags by some batches. */
export const KILLED_TABLES = ['first', 'later'] as const;

/** The index to write, by its settings, and its content. */
export interface KilledIndex {
  /** The settings of the index of a table. */
  readonly settings: (table: string) => Readonly<Record<string, string>>;
  /** Its content, without parts that differ between runs. */
  readonly dump: (table: string) => Promise<unknown>;
  /** Makes the index of a copied table equal to that of the table, if it is not in the folder of the table. */
  readonly copied?: (table: string, copy: string) => Promise<void>;
}

/** Makes the {@link KILLED_TABLES} in a folder, by name. */
export async function makeKilledTables(folder: string, { settings }: Pick<KilledIndex, 'settings'>): Promise<void> {
  const { pages, seeds } = randomWeb(5, runs(100, 300), 8);
  const web = fakeWeb(pages);
  let now = START;
  const open = (table: string): Promise<OpenContext> =>
    openContext({
      table: `level:${join(folder, table)}`,
      plugins: [web],
      settings: { 'fetcher.serverDelay': 0, 'fetcher.minBackoffSeconds': 0, ...settings(join(folder, table)) },
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
}

/** Runs `index` in its own process. Returns the number of its steps, or undefined if it was killed. */
function runIn(table: string, killAt: number, { settings }: KilledIndex): Promise<number | undefined> {
  return stepsOf(WORKER, table, '{}', killAt, JSON.stringify(settings(table)));
}

/** The content of the index, the marked rows, and the waiting batches. */
async function stateOf(table: string, { dump }: KilledIndex): Promise<unknown> {
  const index = await dump(table);
  await using crawl = await openContext({ table: `level:${table}` });
  const marked: unknown[] = [];
  for await (const { url, marks } of crawl.pages({ fields: ['marks'] }))
    if (marks?.index) marked.push([url, marks.index]);
  const { batches } = crawl.tables;
  const left = [...(await batches.list()), ...(await batches.listUpdated())];
  return { index, marked, batches: left.map(({ state }) => state) };
}

/**
 * Kills `index` this number of times at random steps, and expects the result of an undisturbed run. @param name of one of the tables of a
 * folder
 */
export async function killIndex(folder: string, name: string, kills: number, index: KilledIndex): Promise<void> {
  const [whole, killed] = [join(folder, `${name}-whole`), join(folder, `${name}-killed`)];
  const anew = async (copy: string): Promise<void> => {
    await rm(copy, { recursive: true, force: true });
    await cp(join(folder, name), copy, { recursive: true });
    await index.copied?.(join(folder, name), copy);
  };
  await anew(whole);
  const steps = (await runIn(whole, 0, index))!;
  const expected = await stateOf(whole, index);
  expect(expected).toMatchObject({ batches: [] });
  const random = randomNumbers(3);
  await anew(killed);
  for (let done = 0; done < kills;) {
    if ((await runIn(killed, 1 + Math.floor(random() * steps), index)) === undefined) done += 1;
    else {
      // It has completed, so later kills would find nothing to do.
      expect(await stateOf(killed, index)).toEqual(expected);
      await anew(killed);
    }
  }
  await runIn(killed, 0, index);
  expect(await stateOf(killed, index)).toEqual(expected);
}
