/**
 * A crawl of a web without end: 100,000,000 pages on 1,000,000 hosts, 50 links a page, some broken, answered by a plugin
 * in the process itself. It shows how the table grows and whether rounds stay as fast, for as long as it is told to go on.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { FrontierJob, FrontierRound } from './workers/frontier-job.js';

const COLUMNS = [
  { key: 'round', head: 'round' },
  { key: 'minutes', head: 'minutes', digits: 1 },
  { key: 'rows', head: 'rows' },
  { key: 'fetched', head: 'fetched' },
  { key: 'pagesPerSecond', head: 'pages/s' },
  { key: 'generate', head: 'generate s', digits: 2 },
  { key: 'fetch', head: 'fetch s', digits: 2 },
  { key: 'updatedb', head: 'updatedb s', digits: 2 },
  { key: 'memoryMb', head: 'memory MB' },
  { key: 'diskMb', head: 'disk MB' },
] as const;
/** Rows of the final table at the most. */
const SHOWN = 20;

/** `frontier`: how a table grows. */
export const frontierBench: Bench = {
  about: 'a generated web of 100,000,000 pages: how rounds fare as the table grows',
  names: [],
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const directory = join(options.cache, 'frontier');
  await rm(directory, { recursive: true, force: true });
  const hosts = scaled(1_000_000, options.scale, 100);
  const job: FrontierJob = { directory, hosts, topN: scaled(20_000, options.scale, 200), minutes: options.minutes };
  const rounds: FrontierRound[] = [];
  await runWorker<FrontierRound>(new URL('workers/frontier-job.js', import.meta.url), job, (round) => {
    rounds.push(round);
    const { generate, fetch, updatedb } = round;
    const seconds = [generate, fetch, updatedb].map((value) => value.toFixed(2)).join(' + ');
    const [rows, rate] = [round.rows.toLocaleString('en-US'), round.pagesPerSecond.toFixed(0)];
    const size = `${round.memoryMb.toFixed(0)} MB memory, ${round.diskMb.toFixed(0)} MB disk`;
    options.say(`round ${round.round}: ${rows} rows, ${rate} pages/s, ${seconds} s, ${size}`);
  });
  await rm(directory, { recursive: true, force: true });

  const step = Math.max(1, Math.ceil(rounds.length / SHOWN));
  const shown = rounds.filter((_, i) => (rounds.length - 1 - i) % step === 0);
  return {
    title: `frontier: a web of ${(hosts * 100).toLocaleString('en-US')} pages on ${hosts.toLocaleString('en-US')} hosts`,
    columns: COLUMNS,
    rows: shown.map((round): Row => ({ ...round })),
    notes: [
      `Each round generates ${job.topN.toLocaleString('en-US')} pages, fetches and parses them, and updates the table.`,
      'Pages per second are of the whole round. Memory is the peak of the process up to then.',
    ],
    chart: {
      title: 'A table that grows',
      panels: COLUMNS.filter(({ key }) => !['round', 'minutes', 'fetched'].includes(key)).map(
        ({ key, head, ...rest }) => ({
          title: head,
          ...rest,
          line: { points: rounds.map((round) => [round.minutes, round[key]] as const), xTitle: 'minutes' },
        }),
      ),
    },
    samples: rounds,
  };
}
