import { setTimeout as sleep } from 'node:timers/promises';
import { isAnyDue, type CrawlOptions, type JobFailure, type Report } from '../../jobs/index.js';
import { createFreshRanks } from './fresh-ranks.js';
import { holdAlone, jobs } from '../jobs.js';
import { openKeptIndex } from './kept-index.js';
import type { Crawl } from '../open-crawl.js';
import { createRetry } from '../retry.js';

/** Milliseconds between two looks whether a page is due; longer after crawls that found nothing to fetch. */
const LOOK_AGAIN = 1000;
const LONGEST_LOOK = 60_000;

/** What {@link keepCrawled} takes. */
export interface KeepCrawledOptions extends CrawlOptions {
  /** Called each time when the index or the ranks could not be made. They are tried again, and the crawl goes on. */
  readonly onFailing?: (failure: JobFailure) => void;
}

/**
 * Crawls until the signal aborts: what updatedb has closed comes into the search index at once, beside the crawl. Ranks are computed
 * and brought into the index when nothing is left to fetch, and every ten minutes of a crawl that does not come to rest; seldom
 * enough that this takes a tenth of the time at most. Then it waits until pages are due again, of hosts that are not left alone.
 * Where a limit is given (`rounds`, `maxPages`, `maxTime`) it crawls up to that once, and then only waits.
 *
 * Index and ranks can be made anew at any time, so it does not wait for them, and their failures do not end it: they are in the status
 * (`failing`) and tried again, after a second at first and every minute at last. Once the signal aborts they have three seconds to end.
 * Counters: those of all its crawls together.
 * @throws CrawlError as the job crawl; TABLE_LOCKED where another process has the table; those of settings, plugins and packages that
 *   keep the index from being opened, and WRONG_INDEX
 */
export function keepCrawled(crawl: Crawl, options: KeepCrawledOptions): Promise<Report> {
  // Also while it waits for pages to be due.
  return holdAlone(crawl, () => keep(crawl, options));
}

async function keep(crawl: Crawl, { onFailing, ...options }: KeepCrawledOptions): Promise<Report> {
  const { rounds, maxPages, maxTime } = options;
  const isLimited = rounds !== undefined || maxPages !== undefined || maxTime !== undefined;
  /** Aborts when the crawl fails, too. */
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
  const retryContext = { running: crawl.running, clock: crawl.clock, onFailing };
  const index = await openKeptIndex(crawl, {
    retry: createRetry('index', retryContext),
    signal,
    onNotSetUp: (error) => over.abort(error),
  });
  const folder = crawl.tables.store.directory;
  const ranks = createFreshRanks(
    {
      rank: () => jobs.rank(crawl, { level: 'both', signal, ...(folder !== undefined && { folder }) }),
      index: index.all,
    },
    createRetry('rank', retryContext),
  );
  const crawlOnce = (more: Partial<CrawlOptions>): Promise<Report> =>
    jobs.crawl(crawl, {
      ...options,
      ...more,
      signal,
      onUpdated() {
        options.onUpdated?.();
        index.poke();
        ranks.onUpdated();
      },
    });

  /** Waits so long, or until another process has changed the table; whether it has. */
  const rest = async (milliseconds: number): Promise<boolean> => {
    const changes = crawl.outsideChanges?.();
    const until = performance.now() + milliseconds;
    while (!signal.aborted && performance.now() < until) {
      index.retry();
      ranks.onRest();
      await sleep(LOOK_AGAIN, undefined, { signal }).catch(() => undefined);
      if (crawl.outsideChanges?.() !== changes) return true;
    }
    return false;
  };

  try {
    // What was updated before, when nobody brought it into the index.
    index.poke();
    let report = await crawlOnce({});
    let look = LOOK_AGAIN;
    while (!signal.aborted) {
      if (await rest(look)) look = LOOK_AGAIN;
      if (signal.aborted || isLimited || !(await isAnyDue(crawl))) continue;
      const more = await crawlOnce({ seeds: [], refetch: false });
      look = more.counters.rounds ? LOOK_AGAIN : Math.min(2 * look, LONGEST_LOOK);
      report = sumOf(report, more);
    }
    over.signal.throwIfAborted();
    return { ...report, interrupted: true };
  } finally {
    over.abort();
    await ranks.settled();
    await index.close();
  }
}

function sumOf(a: Report, b: Report): Report {
  const counters: Record<string, number> = { ...a.counters };
  for (const [name, n] of Object.entries(b.counters)) counters[name] = (counters[name] ?? 0) + n;
  return { ...a, seconds: a.seconds + b.seconds, counters };
}
