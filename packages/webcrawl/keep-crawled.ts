import { setTimeout as sleep } from 'node:timers/promises';
import { openIndexer, type Indexer } from '../index/index.js';
import type { CrawlContext, CrawlOptions, JobOptions, Report } from '../jobs/index.js';
import { jobs, watched } from './jobs.js';
import type { Crawl } from './open-crawl.js';

/** Milliseconds between two looks whether a page is due. */
const LOOK_AGAIN = 5_000;

/**
 * Crawls until the signal aborts: what updatedb has closed comes into the search index at once, beside the crawl; when nothing is
 * due, ranks are computed and brought into the index; then it waits until pages are due again. Where a limit is given (`rounds`,
 * `maxPages`, `maxTime`) it crawls up to that once, and then only waits.
 * Counters: those of all its crawls together.
 * @throws CrawlError as the jobs crawl, rank and index
 */
export async function keepCrawled(crawl: Crawl, options: CrawlOptions): Promise<Report> {
  const { signal, onProgress, rounds, maxPages, maxTime } = options;
  const step: JobOptions = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  const isLimited = rounds !== undefined || maxPages !== undefined || maxTime !== undefined;
  const indexer = await openIndexer(crawl);
  const indexing = createIndexing(crawl, indexer, step);
  const isStopped = (): boolean => signal?.aborted ?? false;
  try {
    let report = await jobs.crawl(crawl, { ...options, onUpdated: indexing.poke });
    for (let changed = true; !isStopped();) {
      await indexing.settled();
      if (changed) {
        await jobs.rank(crawl, { level: 'both', ...step });
        if (!isStopped()) await indexing.all();
      }
      if (!(await untilDue(crawl, isLimited, signal))) break;
      const more = await jobs.crawl(crawl, { ...options, seeds: [], refetch: false, onUpdated: indexing.poke });
      changed = (more.counters.fetched ?? 0) > 0;
      report = sumOf(report, more);
    }
    await indexing.settled();
    return { ...report, ...(isStopped() && { interrupted: true }) };
  } finally {
    await indexing.settled().catch(() => undefined);
    await indexer.close();
  }
}

/** Brings what was updated into the index, one run after the other. */
function createIndexing(crawl: CrawlContext, indexer: Indexer, step: JobOptions) {
  const run = watched('index', (_crawl: CrawlContext, options: JobOptions & { all?: boolean }) => indexer.run(options));
  let last: Promise<unknown> = Promise.resolve();
  let waiting = false;
  let failure: { readonly error: unknown } | undefined;
  const after = (task: () => Promise<unknown>): void => {
    last = last.then(task).catch((error: unknown) => void (failure ??= { error }));
  };
  async function settled(): Promise<void> {
    await last;
    if (failure) throw failure.error;
  }
  return {
    /** A batch is updated. */
    poke(): void {
      if (waiting || failure) return;
      waiting = true;
      after(() => {
        waiting = false;
        return run(crawl, step.signal ? { signal: step.signal } : {});
      });
    },
    /** Takes new ranks, anchors and duplicates into the index. */
    async all(): Promise<void> {
      after(() => run(crawl, { ...step, all: true }));
      await settled();
    },
    /** All that was begun is through. @throws what the first run threw that failed */
    settled,
  };
}

/** Waits until a page is due; where nothing more is to be crawled, for the end. @returns false at the end */
async function untilDue(crawl: Crawl, isLimited: boolean, signal: AbortSignal | undefined): Promise<boolean> {
  for (;;) {
    await sleep(LOOK_AGAIN, undefined, signal && { signal }).catch(() => undefined);
    if (signal?.aborted) return false;
    if (!isLimited && (await crawl.tables.frontier.countDue(crawl.clock(), 1)) > 0) return true;
  }
}

function sumOf(a: Report, b: Report): Report {
  const counters: Record<string, number> = { ...a.counters };
  for (const [name, n] of Object.entries(b.counters)) counters[name] = (counters[name] ?? 0) + n;
  return { ...a, seconds: a.seconds + b.seconds, counters };
}
