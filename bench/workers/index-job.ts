// Makes a table of made texts, brings it into a search index, and says how fast, how large, and with how much memory; then asks it.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createWords, openIndexReader } from '../../packages/index/index.js';
import { askIndex, parseQuery, weightsOf } from '../../packages/search/index.js';
import { jobs, openCrawl, rowKeyOf, type PageChange } from '../../packages/webcrawl/index.js';
import { madeQueries, QUERY_KINDS, type QueryKind } from '../lib/made-queries.js';
import { madeTexts } from '../lib/made-texts.js';
import { mix } from '../lib/made-page.js';
import { givenArgument, growHeapAsCommand, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';

/** Where, and how many pages. */
export interface IndexJob {
  readonly directory: string;
  readonly pages: number;
}

/** What it took. */
export interface IndexFigures {
  readonly pages: number;
  readonly seconds: number;
  /** Seconds of the whole process, threads included. */
  readonly cpu: number;
  readonly textBytes: number;
  readonly indexBytes: number;
  readonly ownMb: number;
  readonly queries: readonly QueryFigures[];
}

/** What the queries of a kind took, in ms. */
export interface QueryFigures {
  readonly kind: QueryKind;
  /** Pages that match a query, in the middle. */
  readonly matches: number;
  /** CPU time of each, ascending. */
  readonly cpu: readonly number[];
  /** Time on the clock of each, ascending. */
  readonly clock: readonly number[];
}

const CHUNK = 1000;
const { directory, pages } = givenArgument<IndexJob>();
growHeapAsCommand();
const crawl = await openCrawl({ table: `level:${directory}` });
let chunk: PageChange[] = [];
let textBytes = 0;
let at = 0;
for (const { url, title, text, language } of madeTexts(pages)) {
  textBytes += Buffer.byteLength(title) + Buffer.byteLength(text);
  const parseStatus = { code: 'success' };
  const set = {
    status: 'fetched',
    dueAt: 0,
    score: 1,
    parseStatus,
    title,
    text,
    language,
    rank: rankOf(at++),
  } as const;
  chunk.push({ key: rowKeyOf(url), set });
  if (chunk.length === CHUNK) await load();
}
await load();
const memory = watchMemory();
const before = process.cpuUsage();
const { seconds } = await jobs.index(crawl);
const { user, system } = process.cpuUsage(before);
const { ownMb = peakMemoryMb() } = memory();
let indexBytes = 0;
for (const name of await readdir(join(directory, 'index')))
  indexBytes += (await stat(join(directory, 'index', name))).size;
const words = await createWords();
const reader = openIndexReader({
  folder: join(directory, 'index'),
  words: words.name,
  timeLimit: 600_000,
  entry: undefined,
});
const info = await reader.info();
const queries: QueryFigures[] = [];
for (const kind of QUERY_KINDS) queries.push(await ask(kind));
await reader.close();
await crawl.close();
reply({
  pages,
  seconds,
  cpu: (user + system) / 1e6,
  textBytes,
  indexBytes,
  ownMb,
  queries,
} satisfies IndexFigures);

/** Each query once, so that nothing of its words is remembered, as `search` asks it. */
async function ask(kind: QueryKind): Promise<QueryFigures> {
  const { commonWords } = crawl.settings.search;
  const weights = { ...weightsOf(crawl.settings), ...(kind === 'commonest words, no ranks' && { rank: 0 }) };
  const cpu: number[] = [];
  const clock: number[] = [];
  const matches: number[] = [];
  for (const query of madeQueries(kind, pages)) {
    const began = performance.now();
    const used = process.cpuUsage();
    const { found } = await askIndex(parseQuery(query), { reader, words, info, weights, commonWords, limit: 100 });
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
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

/** Few pages have a high one, as on the web. */
function rankOf(page: number): number {
  return (0.4 * ((mix(page, 3) + 1) / 2 ** 32) ** -0.6) / pages;
}

async function load(): Promise<void> {
  const changes = chunk;
  chunk = [];
  await crawl.tables.changeRows(
    changes.map(({ key }) => key),
    [],
    0,
    () => changes,
  );
}
