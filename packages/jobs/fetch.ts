import { CrawlError } from '../errors/index.js';
import { defined } from '../util/index.js';
import type { BatchHeader } from '../../webtable/index.js';
import { mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import type { JobContext, JobRun, OnFetchedOption, OnPageOption } from './context.js';
import { openFetcher } from './fetching/fetcher.js';
import { startTimeLimit } from './fetching/time-limit.js';
import { createFindings, type FindingsOfRun } from './reporting/findings.js';
import type { Report } from './reporting/job.js';
import { inScope } from './scope/in-scope.js';
import { addCounters, createCounts } from './reporting/counters.js';
import { createTracker } from './reporting/tracker.js';
import { whileFetching } from './requests/requests-in-use.js';

/** Options of {@link fetch}. `onPage` is called only if `parse` is true. */
export interface FetchOptions extends BatchOptions, OnPageOption, OnFetchedOption {
  /** Whether to parse each page directly after its fetch. The results of fetch and parse are then stored in the same row change. */
  readonly parse?: boolean;
  /** Maximum number of requests in flight. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/**
 * Fetches the pages of a batch that are not fetched yet. It obeys robots.txt, and keeps one queue per host, domain or IP with a delay
 * between requests. Each outcome is stored together with the fetch mark in one row change. The target of a redirect joins the batch, for up
 * to `fetcher.maxRedirects` redirects in a row. Fetches on one table run one after another, so that delays between requests are kept.
 *
 * A host gets a back-off if it cannot be reached, answers 429 or 503, or has an unavailable robots.txt. The back-off lasts as long as the
 * host requests. If the host requests no time, the back-off grows with every consecutive failure, also over later runs. The fetch waits for
 * a short back-off, and retries a page that got a 429 or 503 up to three times. If the wait is longer than `fetcher.maxBackoffWaitSeconds`, the
 * other pages of the host get no mark and stay due. If an origin (scheme, host and port) did not answer three requests in a row, its other
 * pages fail with the same code: `connect_failed`, `dns_failed`, `timeout`, … Such an origin does not delay other origins of its host.
 *
 * No request is started after the signal aborts, or after the time limit (`fetcher.timelimitMins`). The time limit is counted from
 * the start of the job, for all of its batches. Requests in flight have two seconds to end.
 *
 * The scope of the last crawl applies. A site to which a seed redirects counts until the job ends; only `crawl` stores it with the scope.
 *
 * A redirect target in a slot that the batch does not have is left to updatedb, which adds the row.
 *
 * Counters: `COUNTERS.fetch`; also those of parse if it parses.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING, USAGE; LEASE_HELD, LEASE_LOST; PROXY_FAILED if the proxy no longer passes on requests
 */
export async function fetch(crawl: JobContext, options: FetchOptions): Promise<Report> {
  mustNameBatch(options);
  const { threads = 1 } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw new CrawlError('USAGE', `expected a whole number of threads of at least 1, found ${threads}`);
  }
  // As in crawl, the lock for fetching is taken before the lock of a batch, so that two jobs cannot block each other. It is also taken
  // before the leases, as in crawl: a lease records when hosts last received requests, and this job reads the time when it takes the lease.
  const findings = createFindings();
  const report = await whileFetching(crawl, async () => {
    const scoped = await inScope(crawl, options);
    const limit = startTimeLimit(undefined, crawl.settings.fetcher.timelimitMins);
    try {
      return await overBatches(scoped, { job: 'fetch', asks: true, watch: crawl.watch }, options, (run, batch, how) =>
        fetchBatch(run, batch, how, limit.signal, findings),
      );
    } finally {
      limit.clear();
    }
  });
  const { all, count } = createCounts();
  const found = findings.report(count);
  return { ...report, ...found, counters: addCounters(report.counters, all) };
}

async function fetchBatch(
  crawl: JobRun,
  batch: BatchHeader,
  options: FetchOptions,
  timeUp: AbortSignal,
  findings: FindingsOfRun,
): Promise<Report> {
  mustBeOpen(batch);
  if (timeUp.aborted) {
    const tracker = createTracker(crawl, 'fetch', options, { batchId: batch.batchId });
    tracker.count('time_limit');
    return tracker.report();
  }
  const { parse = false, threads = crawl.settings.fetcher.threadsFetch, signal } = options;
  const counts = createCounts();
  const fetcher = await openFetcher(crawl, {
    threads,
    timeUp,
    ...(signal && { signal }),
    count: counts.count,
    findings,
    ...defined({ onFetched: options.onFetched }),
  });
  try {
    crawl.watch(undefined, () => fetcher.status());
    const { ended } = await fetcher.begin(batch, { ...options, parse });
    const { report, isTimedOut } = await ended;
    if (isTimedOut) counts.count('time_limit');
    return { ...report, counters: addCounters(report.counters, counts.all) };
  } finally {
    // All pages are done, or the fetch must stop because of the time limit or a failure.
    fetcher.abort();
    await fetcher.close();
  }
}
