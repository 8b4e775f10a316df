import type { JobRun } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import type { BatchFetch } from '../fetching/batch-fetch.js';
import type { Fetcher } from '../fetching/fetcher.js';
import { createOutgoingBatch } from '../fetching/outgoing-batch.js';
import { UPDATEDB_IN_CRAWL, onlyThose } from '../reporting/counters.js';
import type { JobOptions } from '../reporting/job.js';
import { plusDone, type JobTotals } from '../reporting/totals.js';
import type { Tracker } from '../reporting/tracker.js';
import { lockBatch } from '../rows/lock-batch.js';
import { updateAndCount } from '../updatedb.js';
import { flushIn } from './flush-time.js';
import type { RoundSelector } from './round-selector.js';
import type { createTasks } from './tasks.js';

export interface BatchesInput {
  readonly crawl: JobRun;
  readonly options: CrawlOptions;
  readonly tracker: Tracker;
  readonly fetcher: Fetcher;
  readonly selector: RoundSelector;
  /** The background tasks. Each task follows a batch until its updatedb has ended. */
  readonly tasks: ReturnType<typeof createTasks>;
  /** Called when a fetch has made progress. */
  readonly onProgress: () => void;
  /** The progress of earlier fetches of the same crawl. */
  readonly before: JobTotals;
}

/** Fetches the batches of a crawl and runs updatedb on them. */
export function createBatchesUnderWay(input: BatchesInput) {
  const { crawl, options, tracker, fetcher, selector, tasks, onProgress } = input;
  const { signal, threads = crawl.settings.fetcher.threadsFetch } = options;
  const step: JobOptions = signal ? { signal } : {};
  const outgoing = createOutgoingBatch(crawl);
  const fetches = new Set<BatchFetch>();
  /** The sum of the progress of the fetches that have ended. */
  let ended = input.before;
  /** Number of running updatedb jobs. */
  let updates = 0;

  function pagesLeft(): number {
    let left = 0;
    for (const fetch of fetches) left += fetch.pagesLeft;
    return left;
  }

  const isAtRest = (): boolean => tasks.size === 0 && outgoing.size === 0;

  /**
   * Waits until a batch is fetched. Then updatedb runs on the pages that did not move to the outgoing batch. It does not run if the crawl
   * has to end.
   */
  async function follow(fetch: BatchFetch, release: () => void): Promise<void> {
    const { report, stored, isClosed } = await fetch.ended.finally(() => {
      fetches.delete(fetch);
      ended = plusDone(ended, fetch.progress);
      release();
    });
    tracker.add(report.counters);
    if (isClosed) return;
    if (stored > 0) return update(fetch.batchId);
    // No page was stored, so updatedb releases all pages of the batch, and they are due again. Nothing is selected until updatedb has
    // ended. If newer rules rejected pages, `expectNothing` is false, because rejected pages are not selected again.
    const expectNothing = !report.counters.rejected_rules;
    await selector.pauseFor(() => update(fetch.batchId, { expectNothing }));
  }

  /** Runs updatedb on a batch, unless the crawl has to end. */
  async function update(batchId: string, { expectNothing = false } = {}): Promise<void> {
    if (tracker.aborted || tasks.failure) return;
    updates += 1;
    try {
      const { report, released } = await updateAndCount(crawl, { ...step, batch: batchId });
      tracker.add(onlyThose(report.counters, UPDATEDB_IN_CRAWL));
      options.onUpdated?.();
      const fetchedNothing = released.notFetched > 0 && released.fetched === 0;
      if (!expectNothing || !fetchedNothing) selector.lookAgain();
      // The released pages are due again at once, so the next round would select the same pages.
      else if (tasks.size <= 1 && outgoing.size === 0) selector.giveUp();
    } finally {
      updates -= 1;
    }
  }

  return {
    pagesLeft,
    /** Whether no task is running, and no page waits for updatedb. */
    isAtRest,

    sum: (): JobTotals => Array.from(fetches, ({ progress }) => progress).reduce(plusDone, ended),

    /** Begins to fetch a batch. If updatedb has begun on the batch, updatedb continues instead. */
    async begin(batchId: string): Promise<void> {
      const release = await lockBatch(crawl, batchId);
      try {
        const batch = await crawl.tables.batches.get(batchId);
        if (batch.state !== 'open') {
          release();
          return tasks.add(update(batchId));
        }
        const fetch = await fetcher.begin(batch, {
          ...step,
          onProgress,
          parse: true,
          ...(!selector.isStrict && { outgoing }),
        });
        fetches.add(fetch);
        tasks.add(follow(fetch, release));
      } catch (error) {
        release();
        throw error;
      }
    },

    /** Returns the milliseconds until updatedb runs on the outgoing batch. Infinity if this batch is empty, or if updatedb is running. */
    untilFlush(): number {
      if (updates > 0) return Infinity;
      const { size, since } = outgoing;
      return flushIn({ size, age: performance.now() - since, left: pagesLeft(), threads, isIdle: fetcher.isIdle });
    },

    /** Closes the outgoing batch, and runs updatedb on it. */
    async flush(): Promise<void> {
      const batchId = await outgoing.close();
      if (batchId !== undefined) tasks.add(update(batchId));
    },
  };
}
