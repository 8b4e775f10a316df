/** How fast pages come into the search index, how large it is, what memory that takes, and how long queries take. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { runWorker } from './lib/worker.js';
import type { IndexFigures, IndexJob } from './workers/index-job.js';

const PAGES = 200_000;

/** `index`: 200,000 made pages, half of them Chinese. */
export const indexBench: Bench = {
  about: 'pages a second, size, memory and query times of the search index of 200,000 made pages, half Chinese',
  names: [],
  rounds: 1,
  run,
};

async function run({ cache, scale, say }: BenchOptions): Promise<BenchResult> {
  const directory = join(cache, 'index');
  await rm(directory, { recursive: true, force: true });
  const job: IndexJob = { directory, pages: scaled(PAGES, scale, 100) };
  say(`a table of ${job.pages.toLocaleString('en-US')} pages`);
  const figures = await runWorker<IndexFigures>(new URL('workers/index-job.js', import.meta.url), job);
  await rm(directory, { recursive: true, force: true });
  const { pages, seconds, cpu, textBytes, indexBytes, ownMb, queries } = figures;
  const row = {
    what: 'SQLite FTS5',
    rate: pages / seconds,
    cpu,
    size: indexBytes / textBytes,
    memory: ownMb,
  };
  return {
    title: `index: ${pages.toLocaleString('en-US')} made pages, ${(textBytes / 1e6).toFixed(0)} MB of text, half of the pages Chinese`,
    columns: [
      { key: 'what', head: 'index' },
      { key: 'rate', head: 'pages/s', digits: 0 },
      { key: 'cpu', head: 'CPU s', digits: 1 },
      { key: 'size', head: 'bytes per byte of text', digits: 2 },
      { key: 'memory', head: 'peak MB', digits: 0 },
      { key: 'matches', head: 'pages found', digits: 0 },
      { key: 'p50', head: 'CPU ms p50', digits: 1 },
      { key: 'p99', head: 'p99', digits: 1 },
      { key: 'clock', head: 'clock ms p50', digits: 1 },
    ],
    rows: [
      row,
      ...queries.map(({ kind, matches, cpu: ms, clock }) => ({
        what: kind,
        matches,
        p50: part(ms, 0.5),
        p99: part(ms, 0.99),
        clock: part(clock, 0.5),
      })),
    ],
    notes: [
      'Words follow Zipf, 60,000 of each language. The table is there before; making the index is measured.',
      'Each query is asked once, for the best 100, on one connection; half of them are Chinese. Phrases are three words, or five characters, of a page.',
    ],
    chart: {
      title: 'Pages into the search index',
      panels: [
        { title: 'pages/s', better: 'more', bars: [{ label: 'SQLite FTS5', value: pages / seconds, ours: true }] },
      ],
    },
    samples: figures,
  };
}

/** The value below which that part of ascending ones is. */
function part(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
