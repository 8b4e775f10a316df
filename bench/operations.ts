/**
 * The operations that a crawl requests from the store for each page: the same crawl as in the benchmark `crawl`, with all calls counted.
 * The counts hardly depend on the machine, so one round is enough; the division of work into batches changes them a little.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOptions, BenchResult } from './lib/bench.js';
import { crawlOnce } from './lib/crawl-once.js';
import { OURS, otherCheckout, unbundled, type Crawler } from './lib/crawlers.js';
import { ROOT } from './lib/folders.js';
import {
  OPERATIONS,
  OPERATIONS_BUILD,
  OPERATIONS_FILE,
  SUMS,
  type OperationCounts,
  type OperationName,
} from './lib/operations.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { SITES, startSite, type Site } from './lib/site.js';
import type { Row } from './lib/table.js';

/** `operations`: the reasons behind the rates of `crawl`. */
export const operationsBench: Bench = {
  about: 'what that crawl asks of the store for each page: row changes, entries, calls, bytes',
  names: [],
  sites: SITES,
  rounds: 1,
  run,
};

interface Counted extends Crawler {
  readonly folder: string;
}

interface Sample {
  readonly pages: number;
  readonly counts: OperationCounts;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const { against } = options;
  const counted: readonly Counted[] = [
    { ...OURS, folder: ROOT },
    ...(against === undefined ? [] : [{ ...otherCheckout(against), folder: against }]),
  ];
  const site = await startSite(options);
  const notes = await mkdtemp(join(tmpdir(), 'webcrawl-bench-'));
  options.say(`${site.name}, served by ${site.server}`);
  try {
    const samples = await alternate(counted, options.rounds, async (crawler, round): Promise<Sample> => {
      options.say(`round ${round + 1} of ${options.rounds}: ${crawler.name}`);
      return countOnce(crawler, site, options.cache, join(notes, `${crawler.name}-${round}.json`));
    });
    return present(site, counted, samples);
  } finally {
    await rm(notes, { recursive: true, force: true });
    await site.close();
  }
}

async function countOnce(crawler: Counted, site: Site, cache: string, file: string): Promise<Sample> {
  const preload = new URL('workers/count-operations.js', import.meta.url).href;
  const env = { [OPERATIONS_FILE]: file, [OPERATIONS_BUILD]: crawler.folder };
  const { pages } = await crawlOnce(unbundled(crawler), site, cache, { args: ['--import', preload], env });
  return { pages, counts: JSON.parse(await readFile(file, 'utf8')) as OperationCounts };
}

function present(
  site: Site,
  counted: readonly Counted[],
  samples: ReadonlyMap<string, readonly Sample[]>,
): BenchResult {
  const perPage = (name: string, of: readonly OperationName[]): Spread =>
    spread((samples.get(name) ?? []).map(({ pages, counts }) => of.reduce((sum, key) => sum + counts[key], 0) / pages));
  const row = (what: string, of: readonly OperationName[]): Row => ({
    what,
    ...Object.fromEntries(counted.map(({ name }) => [name, perPage(name, of)])),
  });
  return {
    title: `operations: for a page of ${site.name}`,
    columns: [
      { key: 'what', head: 'for a page' },
      ...counted.map(({ name }) => ({ key: name, head: name, digits: 2 })),
    ],
    rows: [
      ...SUMS.map(({ what, of }) => row(`all ${what}`, of)),
      ...OPERATIONS.map(({ key, what }) => row(what, [key])),
    ],
    notes: [
      `Divided by the pages of status 200: ${counted.map(({ name }) => spread((samples.get(name) ?? []).map(({ pages }) => pages)).median.toLocaleString('en-US')).join(', ')}.`,
      'Asynchronous store calls are those that wait for a thread: of LevelDB batch, get, getMany and the steps of iterators, and writes and reads of files.',
      ...OPERATIONS.map(({ what, about }) => `${what}: ${about}.`),
    ],
    chart: {
      title: `What a page of ${site.name} asks of the store`,
      panels: SUMS.map(({ what, of }) => ({
        title: `${what} for a page`,
        better: 'less' as const,
        digits: 2,
        bars: counted.map(({ name }) => ({ label: name, value: perPage(name, of), ours: name === OURS.name })),
      })),
    },
    samples: Object.fromEntries(samples),
  };
}
