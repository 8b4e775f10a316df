/** How fast pages are indexed, how large the index is, how much memory this takes, and how long queries take. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { BENCH } from './lib/folders.js';
import { hasMaven } from './lib/maven.js';
import { startOpenSearch } from './lib/opensearch-server.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { IndexFigures, IndexJob } from './workers/index-job.js';

const PAGES = 200_000;
/** A part that `--only` may exclude; the embedded index is always made. */
const OPENSEARCH = 'opensearch';

/** `index`: 200,000 made-up pages, half of them Chinese. */
export const indexBench: Bench = {
  about: 'pages a second, size, memory and query times of the search index of 200,000 made pages, half Chinese',
  names: ['sqlite', OPENSEARCH],
  rounds: 1,
  run,
};

async function run({ cache, scale, say, ...options }: BenchOptions): Promise<BenchResult> {
  const directory = join(cache, 'index');
  await rm(directory, { recursive: true, force: true });
  const job: IndexJob = { directory, pages: scaled(PAGES, scale, 100) };
  const runs: Run[] = [];
  const note: string[] = [];
  try {
    say(`a table of ${job.pages.toLocaleString('en-US')} pages, and the embedded index`);
    runs.push({ what: 'SQLite FTS5', figures: await runJob(job) });
    for (const row of rowsOf(runs[0]!)) say(JSON.stringify(row));
    if (!isWanted(options, OPENSEARCH)) note.push('OpenSearch was left out.');
    else if (!hasMaven()) note.push('OpenSearch was left out: there is no Maven, or no JDK.');
    else {
      say('OpenSearch');
      runs.push(await runOpenSearch(job, cache));
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  const { pages, textBytes } = runs[0]!.figures;
  return {
    title: `index: ${pages.toLocaleString('en-US')} made pages, ${(textBytes / 1e6).toFixed(0)} MB of text, half of the pages Chinese`,
    columns: [
      { key: 'index', head: 'index' },
      { key: 'what', head: 'what' },
      { key: 'rate', head: 'pages/s', digits: 0 },
      { key: 'perCpu', head: 'pages per CPU s', digits: 0 },
      { key: 'size', head: 'bytes per byte of text', digits: 2 },
      { key: 'memory', head: 'peak MB', digits: 0 },
      { key: 'matches', head: 'pages found', digits: 0 },
      { key: 'p50', head: 'CPU ms p50', digits: 1 },
      { key: 'p99', head: 'p99', digits: 1 },
      { key: 'clock', head: 'clock ms p50', digits: 1 },
    ],
    rows: runs.flatMap(rowsOf),
    notes: [
      'Words follow Zipf, 60,000 of each language; those of Chinese are the commonest of a dictionary. The table is there before; making the index is measured.',
      'Each query is asked once, for the best 100, on one connection; half of them are Chinese. Phrases are three words, or five characters, of a page. CPU is that of the process that asks, and of the server for OpenSearch: on a busy machine time by the clock says little.',
      'Memory is that of the process that indexes; beside it OpenSearch has a heap of 1 GB. Its index holds the pages themselves too, the embedded one only their words.',
      ...note,
    ],
    chart: {
      title: 'Pages into the search index',
      panels: [
        {
          title: 'pages per CPU second',
          better: 'more',
          bars: runs.map(({ what, figures }, i) => ({
            label: what,
            value: figures.pages / figures.cpu,
            ours: i === 0,
          })),
        },
      ],
    },
    samples: runs,
  };
}

interface Run {
  readonly what: string;
  readonly figures: IndexFigures;
}

function runJob(job: IndexJob): Promise<IndexFigures> {
  return runWorker<IndexFigures>(new URL('workers/index-job.js', import.meta.url), job);
}

async function runOpenSearch(job: IndexJob, cache: string): Promise<Run> {
  const server = await startOpenSearch(join(BENCH, 'opensearch'), cache);
  try {
    const figures = await runJob({ ...job, openSearch: `${server.url}/pages`, serverPid: server.pid });
    return { what: 'OpenSearch 2.19', figures };
  } finally {
    await server.stop();
  }
}

function rowsOf({ what: index, figures }: Run): Row[] {
  const { pages, seconds, cpu, textBytes, indexBytes, ownMb, queries } = figures;
  const whole = {
    index,
    what: 'index',
    rate: pages / seconds,
    perCpu: pages / cpu,
    size: indexBytes / textBytes,
    memory: ownMb,
  };
  return [
    whole,
    ...queries.map(({ kind, matches, cpu: ms, clock }) => ({
      index,
      what: kind,
      matches,
      p50: part(ms, 0.5),
      p99: part(ms, 0.99),
      clock: part(clock, 0.5),
    })),
  ];
}

/** The quantile of ascending values. */
function part(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
