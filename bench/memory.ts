/** A crawl of the generated web, as users run it, without network: whether memory grows with the table, and whether the crawl slows down. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setV8Flags } from '../packages/util/index.js';
import { jobs, openContext } from '../packages/webcrawl/internal.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { pageUrl } from './lib/endless-web.js';
import { inEmptyFolder } from './lib/folders.js';
import { bytesOnDisk } from './lib/measure.js';
import { spread, type Spread } from './lib/rounds.js';
import { storedBytes } from './lib/stored-bytes.js';
import { formatNumber, tabulate } from './lib/table.js';
import { runJob, watchMemory } from './lib/worker.js';
import { made } from './workers/memory-web.js';

const GOAL_MB = 500;
const MARKS = [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000];
/**
 * Goals: the rate of new rows and links before the last mark divided by that before the first one (at least); and the disk space
 * divided by the stored data (at most).
 */
const GOAL_RATE = 0.8;
const GOAL_DISK = 1.3;
const HOSTS = 1_000_000;
const SEEDS = 100;
const POLL_MS = 20;

export const memoryBench: Bench = {
  about: 'peak memory of a crawl of 5,000,000 rows, and how it slows down',
  names: ['rows'],
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const marks = MARKS.map((rows) => scaled(rows, options.scale, 100));
  const samples: Line[][] = [];
  for (let round = 1; round <= options.rounds; round++) {
    options.say(`round ${round} of ${options.rounds}`);
    samples.push(await crawlOnce(marks, options));
  }
  const figure = (key: keyof Line) => (i: number) => {
    const values = samples.flatMap((lines) => lines[i]?.[key] ?? []);
    return values.length > 0 ? spread(values) : undefined;
  };
  const ownMb = (i: number): Spread => spread(samples.map((lines) => lines[i]!.ownMb));
  const label = (i: number): string => `crawl to ${formatNumber(marks[i]!)} rows`;
  const { panels, ...table } = tabulate(
    [...marks.keys()],
    {
      what: { head: 'what', of: label },
      pages: { head: 'pages', of: figure('fetched') },
      seconds: { head: 'seconds', digits: 1, of: figure('seconds') },
      pageRate: { head: 'pages/s', of: figure('pageRate') },
      rowRate: { head: 'rows added/s', of: figure('rowRate') },
      rowRatio: { head: '× first', digits: 2, of: figure('rowRatio') },
      linkRate: { head: 'links added/s', of: figure('linkRate') },
      linkRatio: { head: '× first', digits: 2, of: figure('linkRatio') },
      diskMb: { head: 'disk MB', of: figure('diskMb') },
      diskRatio: { head: '× stored', digits: 2, of: figure('diskRatio') },
      ownMb: { head: 'own MB', better: 'less', of: ownMb },
      ratio: { head: `of ${GOAL_MB} MB`, digits: 2, of: (i) => ownMb(i).max / GOAL_MB },
      residentMb: { head: 'with mapped files', of: figure('residentMb') },
      heapMb: { head: 'heap', of: figure('heapMb') },
      bytesMb: { head: 'bytes', of: figure('bytesMb') },
    },
    (i) => ({ label: label(i) }),
  );
  return {
    title: `memory: of which ${GOAL_MB} MB at the most are asked for`,
    ...table,
    notes: [
      'One crawl; each line is the way to so many rows.',
      'Own MB is the peak of the memory of the process; besides it the system maps what is read of the files of the table, which it can take back at any time.',
      `The ratio is that of the greatest peak of all rounds to ${GOAL_MB} MB: at most 1 is asked for.`,
      `Pages, rows and links a second are those on the way from the line before; on the way to the last, of rows and of links at least ${GOAL_RATE} times those on the way to the first are asked for.`,
      `Links are counted once for each page that has them, when they are handed on to the rows they lead to. The disk is beside what is stored: all keys and values as they are at the end, before LevelDB compresses them; at most ${GOAL_DISK} times that is asked for.`,
      'Heap and bytes are peaks of the main thread: its objects, and its buffers outside of them. The rest of own MB are the parse threads, and the write buffers and caches of LevelDB.',
    ],
    chart: { title: 'Memory', panels },
    samples,
  };
}

/** The way to a mark: rates since the mark before, and ratios to those before the first mark. */
interface Line extends Omit<Progress, 'rows' | 'links' | 'storedMb'> {
  readonly pageRate: number;
  readonly rowRate: number;
  readonly linkRate: number;
  readonly rowRatio: number;
  readonly linkRatio: number;
  /** Disk space divided by the stored data; only in the last line. */
  readonly diskRatio?: number;
}

async function crawlOnce(marks: readonly number[], { cache, scale, say }: BenchOptions): Promise<Line[]> {
  const lines: Line[] = [];
  let before: Pick<Progress, 'rows' | 'links' | 'fetched' | 'seconds'> = { rows: 0, links: 0, fetched: 0, seconds: 0 };
  const onReport = (progress: Progress): void => {
    const { rows, links, storedMb, ...figures } = progress;
    const seconds = progress.seconds - before.seconds;
    const rowRate = (rows - before.rows) / seconds;
    const linkRate = (links - before.links) / seconds;
    lines.push({
      pageRate: (progress.fetched - before.fetched) / seconds,
      rowRate,
      linkRate,
      rowRatio: rowRate / (lines[0]?.rowRate ?? rowRate),
      linkRatio: linkRate / (lines[0]?.linkRate ?? linkRate),
      ...(storedMb !== undefined && { diskRatio: figures.diskMb / storedMb }),
      ...figures,
    });
    before = progress;
    say(`${formatNumber(rows)} rows: ${figures.ownMb.toFixed(0)} MB, ${rowRate.toFixed(0)} rows added a second`);
  };
  const hosts = scaled(HOSTS, scale, 1000);
  await inEmptyFolder(join(cache, 'memory'), (directory) =>
    runJob(import.meta.url, crawlToMarks, { directory, hosts, marks }, { onReport }),
  );
  return lines;
}

/** Sums over the crawl so far, and the peaks of memory in MB since the report before. */
interface Progress extends ReturnType<ReturnType<typeof watchMemory>> {
  readonly rows: number;
  readonly links: number;
  readonly fetched: number;
  readonly seconds: number;
  readonly diskMb: number;
  readonly storedMb?: number;
}

interface MemoryCrawl {
  readonly directory: string;
  readonly hosts: number;
  /** Numbers of rows at which to report, ascending. The crawl ends at the last one. */
  readonly marks: readonly number[];
}

/** Crawls the generated web in overlapping rounds. */
export async function crawlToMarks(
  { directory, hosts, marks }: MemoryCrawl,
  report: (progress: Progress) => void,
): Promise<void> {
  setV8Flags();
  const crawl = await openContext({
    table: `level:${directory}`,
    settings: {
      'fetcher.serverDelay': 0,
      // The names of this web are not in DNS.
      'http.privateAddresses': 'allow',
      plugins: [fileURLToPath(new URL('workers/memory-web.js', import.meta.url))],
    },
  });
  const controller = new AbortController();
  const start = performance.now();
  const memory = watchMemory();
  let fetched = 0;
  const left = [...marks];
  const reports: Promise<void>[] = [];
  const reportNow = async (isLast = false): Promise<void> => {
    const seconds = (performance.now() - start) / 1000;
    const figures = { ...made, fetched, seconds, ...memory() };
    const diskMb = (await bytesOnDisk(directory)) / 2 ** 20;
    report({ ...figures, diskMb, ...(isLast && { storedMb: (await storedBytes(directory)) / 2 ** 20 }) });
  };
  const timer = setInterval(() => {
    if (made.rows < (left[0] ?? Infinity)) return;
    left.shift();
    if (left.length > 0) reports.push(reportNow());
    else controller.abort();
  }, POLL_MS);
  await jobs.crawl(crawl, {
    seeds: Array.from({ length: Math.min(SEEDS, hosts) }, (_, i) => pageUrl(hosts, i, 0)),
    stay: 'any',
    signal: controller.signal,
    onProgress: ({ done }) => (fetched = done),
  });
  clearInterval(timer);
  await crawl.close();
  await Promise.all(reports);
  // The last report includes the end of the crawl.
  await reportNow(true);
}
