// Crawls the generated web in rounds for some minutes, and tells of each round.
import { fileURLToPath } from 'node:url';
import { jobs, openCrawl, type Report } from '../../packages/webcrawl/index.js';
import { pageUrl } from '../lib/endless-web.js';
import { bytesOnDisk } from '../lib/measure.js';
import { givenArgument, peakMemoryMb, reply } from '../lib/worker.js';

/** Where to crawl, and how far. */
export interface FrontierJob {
  readonly directory: string;
  readonly hosts: number;
  readonly topN: number;
  /** The round under way then is the last. */
  readonly minutes: number;
}

/** One round. Times of jobs are in seconds, and rows are all that the table holds. */
export interface FrontierRound {
  readonly round: number;
  readonly minutes: number;
  readonly rows: number;
  readonly fetched: number;
  readonly pagesPerSecond: number;
  readonly generate: number;
  readonly fetch: number;
  readonly updatedb: number;
  readonly memoryMb: number;
  readonly diskMb: number;
}

const SEEDS = 100;
const MB = 1024 * 1024;
const { directory, hosts, topN, minutes } = givenArgument<FrontierJob>();
const crawl = await openCrawl({
  table: `level:${directory}`,
  settings: {
    'fetcher.serverDelay': 0,
    'fetcher.threadsPerQueue': 64,
    'fetcher.threadsFetch': 64,
    // Then every new row is made by updatedb, which counts them.
    'fetcher.maxRedirects': 0,
    plugins: [fileURLToPath(new URL('endless-web-plugin.js', import.meta.url))],
  },
});
const seeds = Array.from({ length: Math.min(SEEDS, hosts) }, (_, i) => pageUrl(hosts, i, 0));
let rows = (await jobs.inject(crawl, { seeds })).counters.injected ?? seeds.length;
// Inject looks up the hosts of seeds, which takes a while where no resolver answers.
const start = performance.now();
const minutesGone = (): number => (performance.now() - start) / 60_000;

for (let round = 1; minutesGone() < minutes; round++) {
  const generated = await timed(() => jobs.generate(crawl, { topN }));
  const { batchId: batch } = generated.report;
  if (batch === undefined) break;
  const fetched = await timed(() => jobs.fetch(crawl, { batch, parse: true }));
  const updated = await timed(() => jobs.updatedb(crawl, { batch }));
  rows += updated.report.counters.added ?? 0;
  const pages = fetched.report.counters.fetched ?? 0;
  const figures: FrontierRound = {
    round,
    minutes: minutesGone(),
    rows,
    fetched: pages,
    pagesPerSecond: pages / (generated.seconds + fetched.seconds + updated.seconds),
    generate: generated.seconds,
    fetch: fetched.seconds,
    updatedb: updated.seconds,
    memoryMb: peakMemoryMb(),
    diskMb: (await bytesOnDisk(directory)) / MB,
  };
  reply(figures);
}
await crawl.close();

async function timed(job: () => Promise<Report>): Promise<{ report: Report; seconds: number }> {
  const begin = performance.now();
  const report = await job();
  return { report, seconds: (performance.now() - begin) / 1000 };
}
