import type { BatchHeader, BatchQueue } from '../../../webtable/index.js';
import { gracePeriod } from '../../util/index.js';
import { createBatchPages } from './batch-pages.js';
import type { JobRun } from '../context.js';
import { createBatchWork } from './batch-work.js';
import type { FetchTools } from './fetch-item.js';
import type { OutgoingBatch } from './outgoing-batch.js';
import { GRACE_PERIOD } from '../requests/grace-period.js';
import type { JobOptions, Progress, Report } from '../reporting/job.js';
import { parseRows } from '../parsing/parse-rows.js';
import type { QueuedWork } from '../requests/requests.js';
import type { SharedFetch } from './shared-fetch.js';
import { createTracker } from '../reporting/tracker.js';
import { withinBatch } from '../shards/job-slots.js';

export interface BatchFetchOptions extends JobOptions {
  /** Whether to parse each page directly after its fetch. */
  readonly parse: boolean;
  /** The batch to which fetched pages move. Absent: pages stay in the batch that selected them. */
  readonly outgoing?: OutgoingBatch;
}

export interface BatchFetchEnd {
  readonly report: Report;
  readonly stored: number;
  /** Whether all pages have moved to another batch, so that this batch needs no further work. */
  readonly isClosed: boolean;
  /** Whether some pages were not fetched because the time limit was reached. */
  readonly isTimedOut: boolean;
}

export type BatchFetch = Awaited<ReturnType<typeof beginBatchFetch>>;

/** Begins to fetch a batch. The rows of each queue are read while the queue has room. */
export async function beginBatchFetch(
  given: JobRun,
  tools: FetchTools,
  shared: SharedFetch,
  batch: BatchHeader,
  options: BatchFetchOptions,
) {
  const { batchId } = batch;
  const { parse } = options;
  const crawl = withinBatch(given, batch);
  const tracker = createTracker(crawl, 'fetch', options, { batchId, total: batch.size });
  const pages = createBatchPages(crawl, batch, tracker.count);
  /** Aborts at the time limit. Then the waiting pages are skipped. */
  const timedOut = new AbortController();
  const grace = gracePeriod(AbortSignal.any([shared.stopped, timedOut.signal]), GRACE_PERIOD);
  const isTimedOut = (): boolean => timedOut.signal.aborted;
  let allQueuesAdded = false;
  let resolveDone = (): void => {};
  const work = createBatchWork({
    crawl,
    tools,
    shared,
    batch,
    pages,
    tracker,
    options,
    giveUp: grace.signal,
    isTimedOut,
    onLeave: checkDone,
  });
  const { queues } = shared;

  function checkDone(): void {
    if (isTimedOut() ? work.inWork === 0 : allQueuesAdded && work.open.isEmpty) resolveDone();
  }

  const hasEnded = (): boolean => isTimedOut() || shared.stopped.aborted;

  async function readAll(): Promise<void> {
    const dry = new Promise<void>((resolve) => (resolveDone = resolve));
    for await (const found of pages.queues()) {
      if (hasEnded()) break;
      const { queue } = found;
      await shared.openSource();
      work.open.enter(queue);
      queues.addQueue(queue, readQueue(found));
      tools.requests.delayFirst(queue);
    }
    allQueuesAdded = true;
    checkDone();
    await dry;
  }

  /** Yields the pages of a queue. Rows are read while the queue drains. */
  async function* readQueue(of: BatchQueue): AsyncGenerator<QueuedWork> {
    const { queue } = of;
    try {
      if (isTimedOut()) return;
      for await (const item of pages.read(of)) {
        work.open.enter(queue);
        yield work.workOn(item);
        if (isTimedOut()) return;
      }
    } finally {
      shared.closeSource();
      work.leave(queue);
    }
  }

  async function finish(): Promise<BatchFetchEnd> {
    const { timeUp, stopped, running } = shared;
    const done = readAll();
    const timeOut = (): void => {
      timedOut.abort();
      checkDone();
    };
    timeUp.addEventListener('abort', timeOut, { once: true });
    if (timeUp.aborted) timeOut();
    try {
      await Promise.race([done, running]);
    } finally {
      timeUp.removeEventListener('abort', timeOut);
    }
    const isClosed = !isTimedOut() && !stopped.aborted && (await close());
    return { report: tracker.report(), stored: work.stored, isClosed, isTimedOut: isTimedOut() };
  }

  async function close(): Promise<boolean> {
    const isClosed = await pages.end(work.moved);
    // Some skipped pages may already be fetched, but not parsed.
    if (parse && pages.sawFetched) await parseRows(crawl, batchId, false, tracker);
    return isClosed;
  }

  const ended = finish().finally(grace.clear);
  // Callers await `ended` and get its error there.
  ended.catch(() => undefined);
  return {
    batchId,
    /** Resolves when all pages are done, or after the fetch was stopped. */
    ended,
    get progress(): Progress {
      return tracker.progress();
    },
    /** Number of pages left to fetch, as far as known. */
    get pagesLeft(): number {
      return Math.max(0, pages.left);
    },
  };
}
