// Makes a table of made-up texts, indexes it, and reports speed, size and memory; then runs queries.
import { join } from 'node:path';
import { setV8Flags } from '../../packages/util/index.js';
import { createWords, openIndexReader, openOpenSearchReader } from '../../packages/index/index.js';
import { askIndex, parseQuery, weightsOf } from '../../packages/search/index.js';
import { jobs, openContext, rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import { madeQueries, QUERY_KINDS, type QueryKind } from '../lib/made-queries.js';
import { madeTexts } from '../lib/made-texts.js';
import { mix } from '../lib/made-page.js';
import { cpuSecondsOf } from '../lib/measure.js';
import { loadPages } from '../lib/load-pages.js';
import { givenArgument, measured, reply } from '../lib/worker.js';

/** The table, and the number of pages. */
export interface IndexJob {
  readonly directory: string;
  readonly pages: number;
  /** The OpenSearch index for the pages of the existing table. Absent: the table is made, and the embedded index. */
  readonly openSearch?: string;
  /** The process of OpenSearch, whose CPU time counts too. */
  readonly serverPid?: number;
}

/** The cost. */
export interface IndexFigures {
  readonly pages: number;
  readonly seconds: number;
  /** CPU seconds of the whole process with all threads, and of the server. */
  readonly cpu: number;
  readonly textBytes: number;
  readonly indexBytes: number;
  readonly ownMb: number;
  readonly queries: readonly QueryFigures[];
}

/** The times of the queries of a kind, in ms. */
export interface QueryFigures {
  readonly kind: QueryKind;
  /** Median number of matching pages. */
  readonly matches: number;
  /** CPU time of each, ascending. */
  readonly cpu: readonly number[];
  /** Elapsed time of each, ascending. */
  readonly clock: readonly number[];
}

const { directory, pages, openSearch, serverPid } = givenArgument<IndexJob>();
setV8Flags();
const settings = openSearch === undefined ? {} : { 'index.writer': 'opensearch' as const, 'index.url': openSearch };
const crawl = await openContext({ table: `level:${directory}`, settings });
let textBytes = 0;
for (const { title, text } of madeTexts(pages)) textBytes += Buffer.byteLength(title) + Buffer.byteLength(text);
if (openSearch === undefined) await loadPages(crawl.tables, rows(), 0);
const before = cpuMs();
const [{ seconds }, { ownMb }] = await measured(() => jobs.index(crawl));
const cpu = (cpuMs() - before) / 1000;
const words = await createWords();
const table = await crawl.tables.id();
const reader =
  openSearch === undefined
    ? openIndexReader({
        folder: join(directory, 'index'),
        words: words.name,
        table,
        timeLimit: 600_000,
        entry: undefined,
      })
    : await openOpenSearchReader({ url: openSearch, words: words.name, table, responseMs: 600_000 });
const info = await reader.info();
const queries: QueryFigures[] = [];
for (const kind of QUERY_KINDS) queries.push(await ask(kind));
await reader.close();
await crawl.close();
reply({
  pages,
  seconds,
  cpu,
  textBytes,
  indexBytes: info.bytes,
  ownMb,
  queries,
} satisfies IndexFigures);

/** Runs each query once, in the form of `search`, so that none of its words is cached. */
async function ask(kind: QueryKind): Promise<QueryFigures> {
  const { commonWords } = crawl.settings.search;
  const weights = { ...weightsOf(crawl.settings), ...(kind === 'commonest words, no ranks' && { rank: 0 }) };
  const cpu: number[] = [];
  const clock: number[] = [];
  const matches: number[] = [];
  for (const query of madeQueries(kind, pages)) {
    const began = performance.now();
    const used = cpuMs();
    const { found } = await askIndex(parseQuery(query), { reader, words, info, weights, commonWords, limit: 100 });
    cpu.push(cpuMs() - used);
    clock.push(performance.now() - began);
    matches.push(found.total);
  }
  const ascending = (values: number[]): number[] => values.sort((a, b) => a - b);
  return {
    kind,
    matches: ascending(matches)[matches.length >> 1] ?? 0,
    cpu: ascending(cpu),
    clock: ascending(clock),
  };
}

/** CPU time in ms of the threads of this process and of the server. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (serverPid === undefined ? 0 : 1000 * cpuSecondsOf(serverPid));
}

/** Few pages have a high rank, as on the web. */
function rankOf(page: number): number {
  return (0.4 * ((mix(page, 3) + 1) / 2 ** 32) ** -0.6) / pages;
}

function* rows(): Generator<PageChange> {
  let at = 0;
  for (const { url, ...text } of madeTexts(pages)) {
    const found = { status: 'fetched', dueAt: 0, score: 1, parseStatus: { code: 'success' } } as const;
    yield { key: rowKeyOf(url), set: { ...found, ...text, rank: rankOf(at++) } };
  }
}
