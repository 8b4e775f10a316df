import {
  addCounters,
  areAllRefused,
  createClockWatch,
  createCounts,
  isAnyDue,
  type CrawlOptions,
  type JobFailure,
  type Report,
} from '../../jobs/index.js';
import { CrawlError } from '../../errors/index.js';
import { pause, pauseAfter } from '../../util/index.js';
import { createFreshRanks } from './fresh-ranks.js';
import { withoutYielding, jobs } from '../jobs.js';
import { openFreshIndex, type FreshIndex } from './fresh-index.js';
import type { OpenContext } from '../open-context.js';
import { createRetry } from '../retry.js';

/** Milliseconds between two polls for due pages. They double after each crawl that fetched no page. */
const POLL = { first: 1000, most: 60_000 };
const MAX_COUNTED_ROWS = 100_000;

/** Options of {@link crawlContinuously}. */
export interface ContinuousCrawlOptions extends CrawlOptions {
  /** Called whenever `index` or `rank` fails. Both are retried, and the crawl continues. */
  readonly onFailing?: (failure: JobFailure) => void;
  /** Called when the first crawl ends, and after each later crawl that fetched a page. The crawl then waits for due pages. */
  readonly onIdle?: (idle: IdleCrawl) => void;
  /**
   * Whether to keep the search index and the ranks up to date. Default: true. false: pages are only crawled; `index` and `rank` can be run
   * later.
   */
  readonly search?: boolean;
}

/** Figures of a continuous crawl that waits for due pages. */
export interface IdleCrawl {
  /** Number of pages that the last crawl fetched. `fetchedInAll` is the number for all crawls since the start. */
  readonly fetched: number;
  readonly fetchedInAll: number;
  /**
   * Number of rows that are due but were not fetched, because a limit was reached or their hosts are in back-off. Counted up to 100,000.
   */
  readonly due: number;
  /** When the next row will be due, in ms since the epoch. undefined: no row will be due. */
  readonly nextDueAt: number | undefined;
}

/**
 * Crawls until the signal aborts. After updatedb has closed a batch, its pages are indexed at once, while the crawl continues. Ranks are
 * computed and indexed when no page is left to fetch; in a busy crawl every ten minutes, but for at most a tenth of the time. When no page
 * is left, the crawl waits until pages of hosts that are not in back-off are due again. With a limit (`rounds`, `maxPages`, `maxSeconds`) it
 * crawls once up to that limit; then it fetches nothing more, but runs until the signal aborts. If all seeds are rejected, it ends at once.
 * Index and ranks can be rebuilt at any time, so the crawl does not wait for them, and continues if they fail. The status shows such a
 * failure (`failing`). The failed work is retried after a second at first, and later after at most a minute. When the signal aborts, running
 * work has three seconds to end. The counters of the report are the sums of all crawls. With `shard` it is a worker that crawls only, so
 * `search` must be false; the limits then end it.
 * @throws CrawlError as the job crawl; TABLE_LOCKED when another process has the table; WRONG_INDEX; the errors of settings, plugins and
 * packages that prevent the index from being opened
 */
export function crawlContinuously(crawl: OpenContext, options: ContinuousCrawlOptions): Promise<Report> {
  const { onFailing: _, onIdle: __, search = true, ...plain } = options;
  if (plain.shard && search) {
    throw new CrawlError('USAGE', 'a shard and a search index cannot be combined', {
      hint: 'run `webcrawl index` and `webcrawl serve` beside the workers',
    });
  }
  if (plain.shard && crawl.tables.workers) return jobs.crawl(crawl, { ...plain, untilStopped: true });
  // No other process gets exclusive access to the table before the crawl ends, not even while the crawl waits for due pages.
  return withoutYielding(crawl, () => crawlUntilAborted(crawl, options));
}

async function crawlUntilAborted(
  crawl: OpenContext,
  { onFailing, onIdle, search = true, ...options }: ContinuousCrawlOptions,
): Promise<Report> {
  const { rounds, maxPages, maxSeconds } = options;
  const isLimited = rounds !== undefined || maxPages !== undefined || maxSeconds !== undefined;
  /** Aborts also when the crawl fails. */
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
  const retryContext = { running: crawl.running, clock: crawl.clock, onFailing };
  const index = search
    ? await openFreshIndex(crawl, {
        retry: createRetry('index', retryContext),
        signal,
        onNotSetUp: (error) => over.abort(error),
      })
    : NO_INDEX;
  const folder = crawl.tables.store.directory;
  const ranks = createFreshRanks(
    {
      rank: () =>
        search
          ? jobs.rank(crawl, { level: 'both', signal, ...(folder !== undefined && { folder }) })
          : Promise.resolve(),
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

  /** Waits for this time, or until another process changes the table. Resolves to true if another process changed it. */
  const rest = async (milliseconds: number): Promise<boolean> => {
    const changes = crawl.outsideChanges();
    const until = performance.now() + milliseconds;
    while (!signal.aborted && performance.now() < until) {
      index.retry();
      ranks.onIdle();
      await pause(POLL.first, signal);
      if (crawl.outsideChanges() !== changes) return true;
    }
    return false;
  };

  async function sayIdle(last: Report, all: Report): Promise<void> {
    if (!onIdle || signal.aborted) return;
    const { frontier } = crawl.tables;
    onIdle({
      fetched: last.counters.fetched ?? 0,
      fetchedInAll: all.counters.fetched ?? 0,
      due: await frontier.countDue(crawl.clock(), MAX_COUNTED_ROWS),
      nextDueAt: await frontier.nextDueAt(),
    });
  }

  const clockWatch = createClockWatch(crawl.clock);
  const timer = setInterval(clockWatch.look, POLL.first);
  const late = createCounts();
  try {
    // First, pages are indexed that were updated earlier and are not in the index.
    index.poke();
    let report = await crawlOnce({});
    if (areAllRefused(report)) return report;
    await sayIdle(report, report);
    /** Number of successive crawls that found nothing to fetch. */
    let idle = 0;
    while (!signal.aborted) {
      if (await rest(pauseAfter(idle + 1, POLL))) idle = 0;
      if (signal.aborted || isLimited) continue;
      if (!(await isAnyDue(crawl, late.count, clockWatch.wasSetBack()))) continue;
      const more = await crawlOnce({ seeds: [], refetch: false });
      idle = more.counters.rounds ? 0 : idle + 1;
      report = sumOf(report, more);
      if (more.counters.fetched) await sayIdle(more, report);
    }
    over.signal.throwIfAborted();
    return { ...report, counters: addCounters(report.counters, late.all), interrupted: true };
  } finally {
    clearInterval(timer);
    over.abort();
    await ranks.settled();
    await index.close();
  }
}

/** Takes the place of the index if `search` is false. */
const NO_INDEX: FreshIndex = {
  poke: () => undefined,
  all: () => Promise.resolve(),
  retry: () => undefined,
  close: () => Promise.resolve(),
};

/** Adds the counters of two crawls. Findings are those of the later crawl, because an origin that failed earlier may respond now. */
function sumOf({ failedOrigins: _, largeSection: __, ...a }: Report, b: Report): Report {
  const { origins_failed: ___, ...before } = a.counters;
  const { failedOrigins, largeSection } = b;
  const found = { ...(failedOrigins && { failedOrigins }), ...(largeSection && { largeSection }) };
  return { ...a, ...found, seconds: a.seconds + b.seconds, counters: addCounters(before, b.counters) };
}
