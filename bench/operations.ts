/**
 * The crawl of the benchmark `crawl`, with all calls of the store counted. The counts hardly depend on the machine, so one round is enough;
 * the division of work into batches changes them a little.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchOptions, BenchResult } from './lib/bench.js';
import { crawlOnce } from './lib/crawl-once.js';
import { OURS, otherCheckout, unbundled, type Crawler } from './lib/crawlers.js';
import { inEmptyFolder, ROOT } from './lib/folders.js';
import {
  OPERATIONS,
  OPERATIONS_BUILD,
  OPERATIONS_FILE,
  SUMS,
  type OperationCounts,
  type OperationName,
} from './lib/operations.js';
import { alternate, over, samplesByName, type Sampled } from './lib/rounds.js';
import { SITES, withSite, type Site } from './lib/site.js';
import { formatNumber, tabulate } from './lib/table.js';

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
  return withSite(options, (site) =>
    inEmptyFolder(join(options.cache, 'counts'), async (folder) => {
      const measured = await alternate(counted, options.rounds, async (crawler, round): Promise<Sample> => {
        options.say(`round ${round + 1} of ${options.rounds}: ${crawler.name}`);
        return countOnce(crawler, site, options.cache, join(folder, `${crawler.name}-${round}.json`));
      });
      return present(site, measured);
    }),
  );
}

async function countOnce(crawler: Counted, site: Site, cache: string, file: string): Promise<Sample> {
  const preload = new URL('workers/count-operations.js', import.meta.url).href;
  const env = { [OPERATIONS_FILE]: file, [OPERATIONS_BUILD]: crawler.folder };
  const { pages } = await crawlOnce(unbundled(crawler), site, cache, { args: ['--import', preload], env });
  return { pages, counts: JSON.parse(await readFile(file, 'utf8')) as OperationCounts };
}

function present(site: Site, counted: readonly Sampled<Counted, Sample>[]): BenchResult {
  const perPage = (of: readonly OperationName[]) =>
    over(({ pages, counts }: Sample) => of.reduce((sum, key) => sum + counts[key], 0) / pages);
  const pages = counted.map((one) => formatNumber(over((sample: Sample) => sample.pages)(one).median));
  const { columns, rows } = tabulate(
    [
      ...SUMS.map(({ what, of }) => ({ what: `all ${what}`, count: perPage(of) })),
      ...OPERATIONS.map(({ key, what }) => ({ what, count: perPage([key]) })),
    ],
    {
      what: { head: 'for a page', of: ({ what }) => what },
      ...Object.fromEntries(
        counted.map((one) => [one.name, { head: one.name, digits: 2, of: ({ count }) => count(one) }]),
      ),
    },
    ({ what }) => ({ label: what }),
  );
  return {
    title: `operations: for a page of ${site.name}`,
    columns,
    rows,
    notes: [
      `Divided by the pages of status 200: ${pages.join(', ')}.`,
      'Asynchronous store calls are those that wait for a thread: of LevelDB batch, get, getMany and the steps of iterators, and writes and reads of files.',
      ...OPERATIONS.map(({ what, about }) => `${what}: ${about}.`),
    ],
    chart: {
      title: `What a page of ${site.name} asks of the store`,
      panels: SUMS.map(({ what, of }) => ({
        title: `${what} for a page`,
        better: 'less' as const,
        digits: 2,
        bars: counted.map((one) => ({ label: one.name, value: perPage(of)(one), ours: one.name === OURS.name })),
      })),
    },
    samples: samplesByName(counted),
  };
}
