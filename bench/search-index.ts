import { join } from 'node:path';
import { createWords, openIndexReader, openOpenSearchReader } from '../packages/index/index.js';
import { askIndex, parseQuery, weightsOf } from '../packages/search/index.js';
import { setV8Flags } from '../packages/util/index.js';
import { jobs, openContext } from '../packages/webcrawl/internal.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { loadPages } from './lib/fill-table.js';
import { BENCH, inEmptyFolder } from './lib/folders.js';
import { mix } from './lib/made-page.js';
import { madeQueries, QUERY_KINDS, type QueryKind } from './lib/made-queries.js';
import { madeTexts, textRows } from './lib/made-texts.js';
import { hasMaven } from './lib/maven.js';
import { cpuSecondsOf } from './lib/measure.js';
import { startOpenSearch } from './lib/opensearch-server.js';
import { formatNumber, tabulate, type Cell } from './lib/table.js';
import { measured, runJob } from './lib/worker.js';

const PAGES = 200_000;
/** A part that `--only` may exclude; the embedded index is always made. */
const OPENSEARCH = 'opensearch';

export const indexBench: Bench = {
  about: 'pages a second, size, memory and query times of the search index of 200,000 made pages, half Chinese',
  names: ['sqlite', OPENSEARCH],
  rounds: 1,
  run,
};

interface Run {
  readonly what: string;
  readonly figures: Awaited<ReturnType<typeof indexAndSearch>>;
}

async function run({ cache, scale, say, ...options }: BenchOptions): Promise<BenchResult> {
  const pages = scaled(PAGES, scale, 100);
  const runs: Run[] = [];
  const left: string[] = [];
  await inEmptyFolder(join(cache, 'index'), async (directory) => {
    const job: IndexJob = { directory, pages };
    say(`a table of ${formatNumber(pages)} pages, and the embedded index`);
    runs.push({ what: 'SQLite FTS5', figures: await runJob(import.meta.url, indexAndSearch, job) });
    if (!isWanted(options, OPENSEARCH)) left.push('OpenSearch was left out.');
    else if (!hasMaven()) left.push('OpenSearch was left out: there is no Maven, or no JDK.');
    else {
      say('OpenSearch');
      runs.push(await runOpenSearch(job, cache));
    }
  });
  const ofIndex =
    (figure: (figures: Run['figures']) => number) =>
    ({ figures, query }: Item) =>
      query ? undefined : figure(figures);
  const ofQuery =
    (figure: (query: QueryFigures) => Cell) =>
    ({ query }: Item) =>
      query && figure(query);
  const { columns, rows } = tabulate(
    runs.flatMap((one): Item[] => [one, ...one.figures.queries.map((query) => ({ ...one, query }))]),
    {
      index: { head: 'index', of: ({ what }) => what },
      what: { head: 'what', of: ({ query }) => query?.kind ?? 'index' },
      rate: { head: 'pages/s', of: ofIndex(({ seconds }) => pages / seconds) },
      perCpu: { head: 'pages per CPU s', of: ofIndex(({ cpu }) => pages / cpu) },
      size: {
        head: 'bytes per byte of text',
        digits: 2,
        of: ofIndex(({ indexBytes, textBytes }) => indexBytes / textBytes),
      },
      memory: { head: 'peak MB', of: ofIndex(({ ownMb }) => ownMb) },
      matches: { head: 'pages found', of: ofQuery(({ matches }) => matches) },
      p50: { head: 'CPU ms p50', digits: 1, of: ofQuery(({ cpu }) => quantile(cpu, 0.5)) },
      p99: { head: 'p99', digits: 1, of: ofQuery(({ cpu }) => quantile(cpu, 0.99)) },
      clock: { head: 'clock ms p50', digits: 1, of: ofQuery(({ clock }) => quantile(clock, 0.5)) },
    },
    ({ what }) => ({ label: what }),
  );
  const { textBytes } = runs[0]!.figures;
  return {
    title: `index: ${formatNumber(pages)} made pages, ${(textBytes / 1e6).toFixed(0)} MB of text, half of the pages Chinese`,
    columns,
    rows,
    notes: [
      'Words follow Zipf, 60,000 of each language; those of Chinese are the commonest of a dictionary. The table is there before; making the index is measured.',
      'Each query is asked once, for the best 100, on one connection; half of them are Chinese. Phrases are three words, or five characters, of a page. CPU is that of the process that asks, and of the server for OpenSearch: on a busy machine time by the clock says little.',
      'Memory is that of the process that indexes; beside it OpenSearch has a heap of 1 GB. Its index holds the pages themselves too, the embedded one only their words.',
      ...left,
    ],
    chart: {
      title: 'Pages into the search index',
      panels: [
        {
          title: 'pages per CPU second',
          better: 'more',
          bars: runs.map(({ what, figures }, i) => ({ label: what, value: pages / figures.cpu, ours: i === 0 })),
        },
      ],
    },
    samples: runs,
  };
}

interface Item extends Run {
  readonly query?: QueryFigures;
}

function quantile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

async function runOpenSearch(job: IndexJob, cache: string): Promise<Run> {
  const server = await startOpenSearch(join(BENCH, 'opensearch'), cache);
  try {
    const all: IndexJob = { ...job, openSearch: `${server.url}/pages`, serverPid: server.pid };
    return { what: 'OpenSearch 2.19', figures: await runJob(import.meta.url, indexAndSearch, all) };
  } finally {
    await server.stop();
  }
}

interface IndexJob {
  readonly directory: string;
  readonly pages: number;
  /** The OpenSearch index for the pages of the existing table. Absent: the table is made, and the embedded index. */
  readonly openSearch?: string;
  readonly serverPid?: number;
}

/** The times of the queries of a kind, in ms and ascending. */
interface QueryFigures {
  readonly kind: QueryKind;
  readonly matches: number;
  readonly cpu: readonly number[];
  readonly clock: readonly number[];
}

export async function indexAndSearch({ directory, pages, openSearch, serverPid }: IndexJob) {
  setV8Flags();
  const settings = openSearch === undefined ? {} : { 'index.writer': 'opensearch' as const, 'index.url': openSearch };
  const crawl = await openContext({ table: `level:${directory}`, settings });
  let textBytes = 0;
  for (const { title, text } of madeTexts(pages)) textBytes += Buffer.byteLength(title) + Buffer.byteLength(text);
  if (openSearch === undefined)
    await loadPages(
      crawl.tables,
      textRows(pages, (page) => ({ dueAt: 0, rank: rankOf(page) / pages })),
      0,
    );
  const before = cpuMs();
  const [{ seconds }, { ownMb }] = await measured(() => jobs.index(crawl));
  const cpu = (cpuMs() - before) / 1000;
  const words = await createWords();
  const identity = { words: words.name, table: await crawl.tables.id() };
  const reader =
    openSearch === undefined
      ? openIndexReader({ ...identity, folder: join(directory, 'index'), timeLimit: 600_000, entry: undefined })
      : await openOpenSearchReader({ ...identity, url: openSearch, responseMs: 600_000 });
  const info = await reader.info();
  const queries: QueryFigures[] = [];
  for (const kind of QUERY_KINDS) queries.push(await search(kind));
  await reader.close();
  await crawl.close();
  return { pages, seconds, cpu, textBytes, indexBytes: info.bytes, ownMb, queries };

  /** Runs each query once, in the form of `search`, so that none of its words is cached. */
  async function search(kind: QueryKind): Promise<QueryFigures> {
    const { commonWords } = crawl.settings.search;
    const weights = { ...weightsOf(crawl.settings), ...(kind === 'commonest words, no ranks' && { rank: 0 }) };
    const times = { cpu: [] as number[], clock: [] as number[] };
    const matches: number[] = [];
    for (const query of madeQueries(kind, pages)) {
      const began = performance.now();
      const used = cpuMs();
      const { found } = await askIndex(parseQuery(query), { reader, words, info, weights, commonWords, limit: 100 });
      times.cpu.push(cpuMs() - used);
      times.clock.push(performance.now() - began);
      matches.push(found.total);
    }
    for (const values of [matches, times.cpu, times.clock]) values.sort((a, b) => a - b);
    return { kind, matches: matches[matches.length >> 1] ?? 0, ...times };
  }

  function cpuMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + (serverPid === undefined ? 0 : 1000 * cpuSecondsOf(serverPid));
  }
}

/** The rank of a page as a multiple of the mean. Few pages have a high rank, as on the web. */
function rankOf(page: number): number {
  return 0.4 * ((mix(page, 3) + 1) / 2 ** 32) ** -0.6;
}
