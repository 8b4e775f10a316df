import { setTimeout as sleep } from 'node:timers/promises';
import { openIndexer, type Indexer } from '../index/index.js';
import { isAnyDue, type CrawlContext, type CrawlOptions, type JobOptions, type Report } from '../jobs/index.js';
import { holdAlone, jobs, watched } from './jobs.js';
import { createFreshRanks } from '../graph/index.js';
import type { Crawl } from './open-crawl.js';

/** Milliseconds between two looks whether a page is due; longer after crawls that found nothing to fetch. */
const LOOK_AGAIN = 1000;
const LONGEST_LOOK = 60_000;

/**
 * Crawls until the signal aborts: what updatedb has closed comes into the search index at once, beside the crawl. Ranks are computed
 * and brought into the index when nothing is left to fetch, and every ten minutes of a crawl that does not come to rest; seldom
 * enough that this takes a tenth of the time at most. Then it waits until pages are due again, of hosts that are not left alone.
 * Where a limit is given (`rounds`, `maxPages`, `maxTime`) it crawls up to that once, and then only waits.
 * Counters: those of all its crawls together.
 * @throws CrawlError as the jobs crawl, rank and index
 */
export function keepCrawled(crawl: Crawl, options: CrawlOptions): Promise<Report> {
  // Also while it waits for pages to be due.
  return holdAlone(crawl, () => keep(crawl, options));
}

async function keep(crawl: Crawl, options: CrawlOptions): Promise<Report> {
  const { rounds, maxPages, maxTime } = options;
  const isLimited = rounds !== undefined || maxPages !== undefined || maxTime !== undefined;
  /** Aborts when an index or ranks cannot be made, too: a crawl of days must not go on without them. */
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const indexer = await openIndexer(crawl);
  const indexing = createIndexing(crawl, indexer, { signal }, () => failed.abort());
  const ranks = createFreshRanks(
    {
      rank: () => jobs.rank(crawl, { level: 'both', signal }),
      index: indexing.all,
    },
    () => failed.abort(),
  );
  const crawlOnce = async (more: Partial<CrawlOptions>): Promise<Report> => {
    const report = await jobs.crawl(crawl, {
      ...options,
      ...more,
      signal,
      onUpdated() {
        options.onUpdated?.();
        indexing.poke();
        ranks.onUpdated();
      },
    });
    if (!signal.aborted) await indexing.settled();
    return report;
  };

  try {
    // What was updated before, when nobody brought it into the index.
    indexing.poke();
    let report = await crawlOnce({});
    let look = LOOK_AGAIN;
    for (;;) {
      if (!signal.aborted) ranks.onRest();
      await sleep(look, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      if (isLimited || !(await isAnyDue(crawl))) continue;
      const more = await crawlOnce({ seeds: [], refetch: false });
      look = more.counters.rounds ? LOOK_AGAIN : Math.min(2 * look, LONGEST_LOOK);
      report = sumOf(report, more);
    }
    await indexing.settled();
    await ranks.settled();
    return { ...report, interrupted: true };
  } finally {
    failed.abort();
    await Promise.allSettled([indexing.settled(), ranks.settled()]);
    await indexer.close();
  }
}

/**
 * Brings what was updated into the index, one run after the other.
 * @param onFailure called once when a run fails; `settled` throws its error
 */
function createIndexing(crawl: CrawlContext, indexer: Indexer, step: JobOptions, onFailure: () => void) {
  const run = watched('index', (_crawl: CrawlContext, options: JobOptions & { all?: boolean }) => indexer.run(options));
  let last: Promise<unknown> = Promise.resolve();
  let waiting = false;
  let failure: { readonly error: unknown } | undefined;
  const after = (task: () => Promise<unknown>): void => {
    last = last
      .then(() => (failure ? undefined : task()))
      .catch((error: unknown) => {
        failure = { error };
        onFailure();
      });
  };
  async function settled(): Promise<void> {
    await last;
    if (failure) throw failure.error;
  }
  return {
    /** A batch is updated. */
    poke(): void {
      if (waiting) return;
      waiting = true;
      after(() => {
        waiting = false;
        return run(crawl, step);
      });
    },
    /** Takes new ranks, anchors and duplicates into the index. */
    async all(): Promise<void> {
      after(() => run(crawl, { ...step, all: true }));
      await settled();
    },
    /** All that was begun is through. @throws what the run threw that failed */
    settled,
  };
}

function sumOf(a: Report, b: Report): Report {
  const counters: Record<string, number> = { ...a.counters };
  for (const [name, n] of Object.entries(b.counters)) counters[name] = (counters[name] ?? 0) + n;
  return { ...a, seconds: a.seconds + b.seconds, counters };
}
