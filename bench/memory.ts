/**
 * The memory of webcrawl; the goal is at most 500 MB. `rows`: a crawl of the generated web, as users run it, until its table has 5,000,000
 * rows. It shows whether memory grows with the table, and whether the crawl slows down. `hosts`: a batch of one page of each of 100,000
 * hosts, each job in its own process. There is no network.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { copyTable, makeTable } from './lib/cached-table.js';
import { FOUR_JOBS, runSteps } from './lib/cycle-steps.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { MemoryCrawl, MemoryStretch } from './workers/memory-crawl.js';

const ASKED_MB = 500;
const MARKS = [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000];
/**
 * Goals: the rate of new rows and links before the last mark divided by that before the first one (at least); and the disk space
 * divided by the stored data (at most).
 */
const ASKED_RATE = 0.8;
const ASKED_DISK = 1.3;
const WEB_HOSTS = 1_000_000;
const BATCH_HOSTS = 100_000;
const TABLE_ROWS = 2_000_000;
/** As in the benchmark `cycle`, so that both use the same cached table. */
const POOL = 50_000;

/** One line of the result: the work, and the peaks during it. */
interface Sample extends Pick<MemoryStretch, 'seconds' | 'ownMb' | 'residentMb' | 'heapMb' | 'bytesMb'> {
  readonly what: string;
  readonly pages: number;
  /** Pages in a second since the previous line; only for `rows`, like all fields below. */
  readonly pageRate?: number;
  readonly rowRate?: number;
  readonly linkRate?: number;
  /** The rate divided by that of the first line. */
  readonly rowRatio?: number;
  readonly linkRatio?: number;
  readonly diskMb?: number;
  /** Disk space divided by the stored data; only in the last line. */
  readonly diskRatio?: number;
}
const MEMORY = ['ownMb', 'residentMb', 'heapMb', 'bytesMb'] as const;
const GROWTH = ['pageRate', 'rowRate', 'rowRatio', 'linkRate', 'linkRatio', 'diskMb', 'diskRatio'] as const;
const FIGURES = ['pages', 'seconds', ...GROWTH, ...MEMORY] as const;
type Figures = Readonly<
  Record<'pages' | 'seconds' | (typeof MEMORY)[number], Spread> & Partial<Record<(typeof GROWTH)[number], Spread>>
>;

const CASES: readonly {
  readonly name: string;
  readonly about: string;
  readonly run: (options: BenchOptions) => Promise<Sample[]>;
}[] = [
  { name: 'rows', about: 'one crawl; each line is the way to so many rows', run: crawlRows },
  { name: 'hosts', about: 'one batch; each job in a process of its own', run: runHosts },
];

/** `memory`: whether it is bounded. */
export const memoryBench: Bench = {
  about: 'peak memory of a crawl of 5,000,000 rows and how it slows down, and peak memory of a batch of 100,000 hosts',
  names: CASES.map(({ name }) => name),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const cases = CASES.filter(({ name }) => isWanted(options, name));
  const samples = await alternate(cases, options.rounds, async (one, round) => {
    options.say(`round ${round + 1} of ${options.rounds}: ${one.name}`);
    return one.run(options);
  });
  return present(cases, samples);
}

async function crawlRows({ cache, scale, say }: BenchOptions): Promise<Sample[]> {
  const directory = join(cache, 'memory');
  await rm(directory, { recursive: true, force: true });
  const marks = MARKS.map((rows) => scaled(rows, scale, 100));
  const samples: Sample[] = [];
  let before: MemoryStretch | undefined;
  const job: MemoryCrawl = { directory, hosts: scaled(WEB_HOSTS, scale, 1000), marks };
  await runWorker<MemoryStretch>(new URL('workers/memory-crawl.js', import.meta.url), job, (stretch) => {
    const { rows, links, fetched, storedMb, ...figures } = stretch;
    const at = marks[samples.length]!.toLocaleString('en-US');
    const seconds = figures.seconds - (before?.seconds ?? 0);
    const rowRate = (rows - (before?.rows ?? 0)) / seconds;
    const linkRate = (links - (before?.links ?? 0)) / seconds;
    samples.push({
      what: `crawl to ${at} rows`,
      pages: fetched,
      pageRate: (fetched - (before?.fetched ?? 0)) / seconds,
      rowRate,
      linkRate,
      rowRatio: rowRate / (samples[0]?.rowRate ?? rowRate),
      linkRatio: linkRate / (samples[0]?.linkRate ?? linkRate),
      ...(storedMb !== undefined && { diskRatio: figures.diskMb / storedMb }),
      ...figures,
    });
    before = stretch;
    say(
      `${rows.toLocaleString('en-US')} rows: ${figures.ownMb.toFixed(0)} MB, ${rowRate.toFixed(0)} rows added a second`,
    );
  });
  await rm(directory, { recursive: true, force: true });
  return samples;
}

async function runHosts(options: BenchOptions): Promise<Sample[]> {
  const { cache, scale, say } = options;
  const hosts = scaled(BATCH_HOSTS, scale, 100);
  const rowsPerHost = TABLE_ROWS / BATCH_HOSTS;
  const plan = { hosts, rowsPerHost, pool: scaled(POOL, scale, 100), bigHostRows: 0, notDue: 0, refused: 0 };
  const made = await makeTable(options, 'cycle', plan);
  const directory = join(cache, 'memory');
  await copyTable(made, directory);
  const settings = { 'generate.maxCount': 1 };
  const figures = await runSteps({ table: `level:${directory}`, topN: hosts, settings, steps: FOUR_JOBS });
  await rm(directory, { recursive: true, force: true });
  return Object.entries(figures).map(([job, { did, seconds, residentMb, ownMb, heapMb, bytesMb }]) => {
    say(`${job}: ${ownMb.toFixed(0)} MB`);
    const what = `${job} of ${hosts.toLocaleString('en-US')} hosts`;
    return { what, pages: did, seconds, residentMb, ownMb, heapMb, bytesMb };
  });
}

function present(
  cases: readonly { readonly name: string; readonly about: string }[],
  samples: ReadonlyMap<string, readonly (readonly Sample[])[]>,
): BenchResult {
  const rows = cases.flatMap(({ name }) => {
    const rounds = samples.get(name) ?? [];
    return (rounds[0] ?? []).map(({ what }, i) => {
      const figure = (key: (typeof FIGURES)[number]): Spread => spread(rounds.map((lines) => lines[i]?.[key] ?? NaN));
      const known = FIGURES.filter((key) => rounds[0]?.[i]?.[key] !== undefined);
      return { name, what, ...(Object.fromEntries(known.map((key) => [key, figure(key)])) as Figures) };
    });
  });
  return {
    title: `memory: of which ${ASKED_MB} MB at the most are asked for`,
    columns: [
      { key: 'what', head: 'what' },
      { key: 'pages', head: 'pages' },
      { key: 'seconds', head: 'seconds', digits: 1 },
      { key: 'pageRate', head: 'pages/s' },
      { key: 'rowRate', head: 'rows added/s' },
      { key: 'rowRatio', head: '× first', digits: 2 },
      { key: 'linkRate', head: 'links added/s' },
      { key: 'linkRatio', head: '× first', digits: 2 },
      { key: 'diskMb', head: 'disk MB' },
      { key: 'diskRatio', head: '× stored', digits: 2 },
      { key: 'ownMb', head: 'own MB' },
      { key: 'ratio', head: `of ${ASKED_MB} MB`, digits: 2 },
      { key: 'residentMb', head: 'with mapped files' },
      { key: 'heapMb', head: 'heap' },
      { key: 'bytesMb', head: 'bytes' },
    ],
    rows: rows.map(({ name: _, ...row }): Row => ({ ...row, ratio: row.ownMb.max / ASKED_MB })),
    notes: [
      ...cases.map(({ name, about }) => `${name}: ${about}.`),
      'Own MB is the peak of the memory of the process; besides it the system maps what is read of the files of the table, which it can take back at any time.',
      `The ratio is that of the greatest peak of all rounds to ${ASKED_MB} MB: at most 1 is asked for.`,
      `Pages, rows and links a second are those on the way from the line before; on the way to the last, of rows and of links at least ${ASKED_RATE} times those on the way to the first are asked for.`,
      `Links are counted once for each page that has them, when they are handed on to the rows they lead to. The disk is beside what is stored: all keys and values as they are at the end, before LevelDB compresses them; at most ${ASKED_DISK} times that is asked for.`,
      'Heap and bytes are peaks of the main thread: its objects, and its buffers outside of them. The rest of own MB are the parse threads, and the write buffers and caches of LevelDB.',
    ],
    chart: {
      title: 'Memory',
      panels: cases.map(({ name }) => ({
        title: `${name}, own MB`,
        better: 'less' as const,
        bars: rows
          .filter((row) => row.name === name)
          .map(({ what, ownMb }) => ({ label: what, value: ownMb, ours: true })),
      })),
    },
    samples: Object.fromEntries(samples),
  };
}
