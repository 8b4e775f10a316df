// Fills a table and its search index, keeps it crawled and served while hosts are injected, and says how long after each updatedb a
// search over HTTP finds a page of the batch.
import { setTimeout as sleep } from 'node:timers/promises';
import { setV8Flags } from '../../packages/util/index.js';
import { jobs, keepCrawled, openCrawl, rowKeyOf, serve, type PageChange } from '../../packages/webcrawl/index.js';
import { madeTexts } from '../lib/made-texts.js';
import { addressOf } from '../lib/made-up-site.js';
import { givenArgument, reply } from '../lib/worker.js';

/** Where, and how much. */
export interface ServingJob {
  readonly directory: string;
  /** Pages that are there before. */
  readonly pages: number;
  /** Hosts of the site that are injected. */
  readonly hosts: number;
  /** Of the site. */
  readonly port: number;
}

/** When a page of a batch was found. */
export interface FoundBatch {
  readonly seconds: number;
  /** The whole table was being compared with the index. */
  readonly isCompared: boolean;
}

/** What it found. */
export interface ServingFigures {
  readonly pages: number;
  readonly batches: readonly FoundBatch[];
}

const CHUNK = 1000;
const YEAR = 365 * 86_400_000;
/** Milliseconds between two seeds, and between two searches for a page. */
const SEED_MS = 250;
const ASK_MS = 100;

const { directory, pages, hosts, port } = givenArgument<ServingJob>();
setV8Flags();
/** Pages that were parsed and that no updatedb has closed yet: their titles, by row key. */
const parsed = new Map<string, string>();
const found: FoundBatch[] = [];
const searching = new Set<Promise<void>>();

const crawl = await openCrawl({
  table: `level:${directory}`,
  settings: { 'fetcher.serverDelay': 0, 'fetcher.threadsPerQueue': 64, 'http.privateAddresses': 'allow' },
  onPage({ url, title }) {
    parsed.set(rowKeyOf(url), title ?? '');
  },
});
await fill();
await jobs.index(crawl);
const served = await serve(crawl, { port: 0 });
const stop = new AbortController();
const kept = keepCrawled(crawl, {
  seeds: [],
  signal: stop.signal,
  onUpdated() {
    const search = searchFor(performance.now()).finally(() => searching.delete(search));
    searching.add(search);
  },
});
await Promise.race([kept, feed()]);
stop.abort();
await kept;
await served.close();
await crawl.close();
reply({ pages, batches: found } satisfies ServingFigures);

/** Injects one host after the other, and waits until all pages of them were found. */
async function feed(): Promise<void> {
  for (let host = 0; host < hosts; host++) {
    await jobs.inject(crawl, { seeds: [`http://${addressOf(host)}:${port}/`] });
    await sleep(SEED_MS);
  }
  // On a busy machine the crawl may begin after the last host has come.
  const isOver = (): boolean => found.length > 0 && parsed.size === 0 && searching.size === 0 && !isRunning('crawl');
  while (!isOver()) await sleep(ASK_MS);
}

function isRunning(wanted: string): boolean {
  return crawl.running.progress().some(({ job }) => job === wanted);
}

async function searchFor(since: number): Promise<void> {
  // It takes each page of the table, and not those of a batch alone.
  const isCompared = crawl.running.progress().some(({ job, done }) => job === 'index' && done >= CHUNK);
  const keys = [...parsed.keys()];
  const rows = await crawl.tables.pages.getMany(keys, ['marks']);
  const closed = keys.filter((_, i) => rows[i]?.marks?.updatedb !== undefined);
  const title = parsed.get(closed.at(-1) ?? '');
  for (const key of closed) parsed.delete(key);
  const number = title?.split(' ')[1];
  if (number === undefined) return;
  for (;;) {
    const answer = await fetch(`${served.url}api/search?q=${number}`);
    const { total = 0 } = (await answer.json()) as { total?: number };
    if (total > 0) break;
    await sleep(ASK_MS);
  }
  found.push({ seconds: (performance.now() - since) / 1000, isCompared });
}

async function fill(): Promise<void> {
  let chunk: PageChange[] = [];
  const dueAt = Date.now() + YEAR;
  const load = async (): Promise<void> => {
    const changes = chunk;
    chunk = [];
    await crawl.tables.changeRows(
      changes.map(({ key }) => key),
      [],
      Date.now(),
      () => changes,
    );
  };
  for (const { url, title, text, language } of madeTexts(pages)) {
    const parseStatus = { code: 'success' };
    const set = { status: 'fetched', dueAt, score: 1, parseStatus, title, text, language } as const;
    chunk.push({ key: rowKeyOf(url), set });
    if (chunk.length === CHUNK) await load();
  }
  await load();
}
