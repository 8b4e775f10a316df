// Fills a table and its search index, crawls and serves it while hosts are injected, and reports how long after each updatedb a search over
// HTTP finds a page of the batch.
import { setTimeout as sleep } from 'node:timers/promises';
import { setV8Flags } from '../../packages/util/index.js';
import {
  jobs,
  crawlContinuously,
  openContext,
  rowKeyOf,
  serve,
  type PageChange,
} from '../../packages/webcrawl/internal.js';
import { loadPages } from '../lib/load-pages.js';
import { madeTexts } from '../lib/made-texts.js';
import { addressOf } from '../lib/made-up-site.js';
import { givenArgument, reply } from '../lib/worker.js';

/** The parameters. */
export interface ServingJob {
  readonly directory: string;
  /** Number of existing pages. */
  readonly pages: number;
  /** Number of hosts of the site that are injected. */
  readonly hosts: number;
  /** Port of the site. */
  readonly port: number;
}

/** When a page of a batch was found. */
export interface FoundBatch {
  readonly seconds: number;
  /** Whether the whole table was being compared with the index. */
  readonly isCompared: boolean;
}

/** The results. */
export interface ServingFigures {
  readonly pages: number;
  readonly batches: readonly FoundBatch[];
}

/** Pages of a batch at most: an index run that has read more compares the whole table. */
const CHUNK = 1000;
const YEAR = 365 * 86_400_000;
/** Milliseconds between two seeds, and between two searches for a page. */
const SEED_MS = 250;
const ASK_MS = 100;

const { directory, pages, hosts, port } = givenArgument<ServingJob>();
setV8Flags();
/** Titles of pages that were parsed but not closed by updatedb yet, by row key. */
const parsed = new Map<string, string>();
const found: FoundBatch[] = [];
const searching = new Set<Promise<void>>();

const crawl = await openContext({
  table: `level:${directory}`,
  settings: { 'fetcher.serverDelay': 0, 'fetcher.threadsPerQueue': 64, 'http.privateAddresses': 'allow' },
  onPage({ url, title }) {
    parsed.set(rowKeyOf(url), title ?? '');
  },
});
await loadPages(crawl.tables, rows(), Date.now());
await jobs.index(crawl);
const served = await serve(crawl, { port: 0 });
const stop = new AbortController();
const crawling = crawlContinuously(crawl, {
  seeds: [],
  signal: stop.signal,
  onUpdated() {
    const search = searchFor(performance.now()).finally(() => searching.delete(search));
    searching.add(search);
  },
});
await Promise.race([crawling, feed()]);
stop.abort();
await crawling;
await served.close();
await crawl.close();
reply({ pages, batches: found } satisfies ServingFigures);

/** Injects one host after another, and waits until all their pages were found. */
async function feed(): Promise<void> {
  for (let host = 0; host < hosts; host++) {
    await jobs.inject(crawl, { seeds: [`http://${addressOf(host)}:${port}/`] });
    await sleep(SEED_MS);
  }
  // On a busy machine the crawl may begin after the last host was injected.
  const isOver = (): boolean => found.length > 0 && parsed.size === 0 && searching.size === 0 && !isRunning('crawl');
  while (!isOver()) await sleep(ASK_MS);
}

function isRunning(wanted: string): boolean {
  return crawl.running.progress().some(({ job }) => job === wanted);
}

async function searchFor(since: number): Promise<void> {
  // An index run that compares reads each page of the table, not only those of a batch.
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

function* rows(): Generator<PageChange> {
  const dueAt = Date.now() + YEAR;
  for (const { url, ...text } of madeTexts(pages)) {
    const found = { status: 'fetched', dueAt, score: 1, parseStatus: { code: 'success' } } as const;
    yield { key: rowKeyOf(url), set: { ...found, ...text } };
  }
}
