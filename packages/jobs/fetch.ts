import { CrawlError } from '../errors/index.js';
import { compactIfDue } from './compact.js';
import type { BatchHeader } from '../../webtable/index.js';
import { batchTask, mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { withOnPage, type CrawlContext, type OnPageOption } from './context.js';
import { openFetcher } from './fetching/fetcher.js';
import { noteTimeUp } from './fetching/slots-through.js';
import { startTimeLimit } from './fetching/time-limit.js';
import type { Report } from './reporting/job.js';
import { inScope } from './scope/in-scope.js';
import { addCounters, createCounts } from './reporting/counters.js';
import { createTracker } from './reporting/tracker.js';
import { inSlots, isNoted } from './shards/own-slots.js';

/** What {@link fetch} takes; `onPage` is only called with `parse`. */
export interface FetchOptions extends BatchOptions, OnPageOption {
  /**
   * Pass over pages that this batch has fetched. Without it they are fetched again, unless the fetch before was stopped or
   * killed: then this one goes on where that stopped.
   */
  readonly resume?: boolean;
  /** Parse each page at once; its parse is stored in the same row change as its fetch. */
  readonly parse?: boolean;
  /** Requests in flight at the most. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/**
 * Fetches the pages of a batch: robots.txt obeyed, one queue per host, domain or IP with its delay, and each outcome
 * stored with the fetch mark in one row change. The target of a redirect joins the batch, up to
 * `fetcher.maxRedirects` in a row. Fetches on one table run one after another, so that politeness holds.
 *
 * A host that cannot be reached, answers 429 or 503, or whose robots.txt is unavailable is left alone: for as long as it
 * asks, or else longer with every failure in a row, also in later runs. A short wait is waited out, and a page that drew
 * a 429 or 503 is asked for up to three times; where the wait is longer than `fetcher.maxBackoffWait`, the other pages of
 * the host get no mark and stay due.
 *
 * When the signal aborts or the time is over (`fetcher.timelimitMins` from the start of the job, over all of its batches),
 * nothing more is asked, and requests in flight have two seconds to end by themselves.
 *
 * In shards each fetches the queues of its own slots, and always goes on where an earlier run stopped. What redirects lead to in other
 * slots is left to whoever has them: the batch is fetched when {@link Batches.isDone} says so, until then all shards are run again.
 *
 * Counters: `COUNTERS.fetch`; compact_<counter> where bodies were compacted at the end; and those of parse when it parses.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING, USAGE; LEASE_HELD, LEASE_LOST; PROXY_FAILED when no request gets through the proxy any more
 */
export async function fetch(given: CrawlContext, options: FetchOptions): Promise<Report> {
  mustNameBatch(options);
  const { threads = 1 } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw new CrawlError('USAGE', `expected a whole number of threads of at least 1, found ${threads}`);
  }
  // The turn to fetch comes before that of a batch, as in crawl, so that neither waits for the other.
  // The leases come within it: they say when hosts were asked last.
  const report = await given.tables.exclusive('fetch', () =>
    inSlots(given, batchTask('fetch', options, true), options, async (own, signal) => {
      const crawl = await inScope(withOnPage(own, options));
      const how = { ...options, ...(signal && { signal }) };
      const limit = startTimeLimit(undefined, crawl.settings.fetcher.timelimitMins);
      try {
        return await overBatches(crawl, 'fetch', how, (batch) => fetchBatch(crawl, batch, how, limit.signal));
      } finally {
        limit.clear();
      }
    }),
  );
  return { ...report, counters: addCounters(report.counters, await compactIfDue(given, options)) };
}

async function fetchBatch(
  crawl: CrawlContext,
  batch: BatchHeader,
  options: FetchOptions,
  timeUp: AbortSignal,
): Promise<Report> {
  mustBeOpen(batch);
  if (timeUp.aborted) {
    const tracker = createTracker(crawl, 'fetch', options, { batchId: batch.batchId });
    tracker.count('time_limit');
    if (isNoted(crawl)) await noteTimeUp(crawl, batch.batchId, options.parse ?? false);
    return tracker.report();
  }
  const { resume = false, parse = false, threads = crawl.settings.fetcher.threadsFetch, signal } = options;
  const counts = createCounts();
  const fetcher = await openFetcher(crawl, {
    threads,
    timeUp,
    batchId: batch.batchId,
    ...(signal && { signal }),
    count: counts.count,
  });
  try {
    crawl.watch?.(undefined, () => fetcher.status());
    const { ended } = await fetcher.begin(batch, { ...options, resume, parse });
    const { report, isTimedOut } = await ended;
    if (isTimedOut) counts.count('time_limit');
    return { ...report, counters: addCounters(report.counters, counts.all) };
  } finally {
    // All is through, or what is left is not to go on: the time is over, or something failed.
    fetcher.abort();
    await fetcher.close();
  }
}
