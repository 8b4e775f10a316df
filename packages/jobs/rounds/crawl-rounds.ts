import type { BatchFetch } from '../fetching/batch-fetch.js';
import type { CrawlContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { openFetcher } from '../fetching/fetcher.js';
import { createOutgoingBatch } from '../fetching/outgoing-batch.js';
import { flushIn } from './flush-time.js';
import { UPDATEDB_IN_CRAWL, addCounters, onlyThose, type Counts } from '../reporting/counters.js';
import type { JobOptions, Progress } from '../reporting/job.js';
import { createApplyIfDue } from '../rule-jobs/apply-rules.js';
import { holdBatch } from '../rows/hold-batch.js';
import { createRoundsProgress } from './rounds-progress.js';
import { LOOK_AGAIN, RoundSelector } from './round-selector.js';
import type { Tracker } from '../reporting/tracker.js';
import { createTasks } from './tasks.js';
import { updateAndCount } from '../updatedb.js';
import type { Watch } from '../reporting/running-jobs.js';
import { createWake } from './wake.js';

/**
 * Crawls in rounds until nothing is due, a limit is reached, or a round could fetch nothing. Rounds overlap where
 * neither they nor distances are limited: the next is selected while one is fetched, and pages that are fetched move on to
 * an outgoing batch, which updatedb takes every ten thousand pages, or sooner. The fetcher of the table must be free.
 * @param timeUp aborts when the time of the crawl is over: then the rounds that are open end, and no other is begun
 */
export async function crawlRounds(
  crawl: CrawlContext,
  options: CrawlOptions,
  tracker: Tracker,
  timeUp: AbortSignal,
  watch?: Watch,
): Promise<void> {
  const { signal, threads = crawl.settings.fetcher.threadsFetch } = options;
  const wake = createWake();
  const fetcher = await openFetcher(crawl, {
    threads,
    count: tracker.count,
    onChange: wake.now,
    timeUp,
    ...(signal && { signal }),
  });
  const selector = new RoundSelector(crawl, options, tracker);
  const outgoing = createOutgoingBatch(crawl);
  /** Each follows a batch to the end of its updatedb. */
  const tasks = createTasks(wake.now);
  const fetches = new Set<BatchFetch>();
  const sums = createRoundsProgress();
  /** Runs of updatedb under way. */
  let updates = 0;
  /** What became of proposals, and the round after which rules were last proposed. */
  let proposed: Counts = {};
  let proposedAt = 0;
  const applyIfDue = createApplyIfDue(crawl);
  const step: JobOptions = signal ? { signal } : {};

  function progress(): Progress {
    const { maxPages } = options;
    for (const fetch of fetches) sums.add(fetch.progress);
    const sum = sums.sum();
    return {
      job: 'crawl',
      round: selector.rounds,
      ...(maxPages !== undefined && { total: maxPages }),
      ...sum,
      counters: { ...sum.counters, ...proposed },
    };
  }

  function pagesLeft(): number {
    let left = 0;
    for (const fetch of fetches) left += fetch.pagesLeft;
    return left;
  }

  async function goOn(): Promise<void> {
    for (const { batchId, state, size } of await crawl.tables.batches.list()) {
      if (state === 'generating') continue;
      selector.countSelected(size);
      await begin(batchId);
    }
    while (!tracker.aborted && !tasks.failure) {
      if (timeUp.aborted) return tracker.count('time_limit');
      const { isIdle } = fetcher;
      const isAtRest = tasks.size === 0 && outgoing.size === 0;
      const wait = Math.min(untilFlush(), LOOK_AGAIN);
      if (wait <= 0) await flush();
      else if (selector.wantsMore({ isIdle, pagesLeft: pagesLeft(), isAtRest })) await select();
      else if (!isAtRest) await wake.wait(wait);
      else if (!selector.sawOutsideChanges()) return;
    }
  }

  async function select(): Promise<void> {
    const stop = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
    await proposeIfDue(stop);
    // Rows of the form that a rule on www does away with are refused: first they get rows in the other.
    const applied = await applyIfDue({ signal: stop });
    if (applied) tracker.add(applied.counters, 'apply_');
    const batchId = await selector.select(stop, fetcher.hasPages);
    if (batchId !== undefined) await begin(batchId);
  }

  async function proposeIfDue(stop: AbortSignal): Promise<void> {
    const { propose = Infinity } = options;
    if (selector.rounds - proposedAt < propose) return;
    proposedAt = selector.rounds;
    const counts = await crawl.proposeRules?.({ signal: stop });
    if (!counts) return;
    tracker.count('proposals');
    tracker.add(counts, 'propose_');
    const { applied = 0 } = counts;
    if (applied > 0) proposed = addCounters(proposed, { propose_applied: applied });
    options.onProgress?.(progress());
  }

  async function begin(batchId: string): Promise<void> {
    const release = await holdBatch(crawl, batchId);
    try {
      const batch = await crawl.tables.batches.get(batchId);
      if (batch.state !== 'open') {
        release();
        return tasks.add(update(batchId));
      }
      const fetch = await fetcher.begin(batch, {
        ...step,
        onProgress(now) {
          // Also the last of a batch that is through.
          sums.add(now);
          options.onProgress?.(progress());
        },
        resume: true,
        parse: true,
        ...(!selector.isStrict && { outgoing }),
      });
      fetches.add(fetch);
      tasks.add(follow(fetch, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Waits for a batch to be fetched, then updates what has not moved on, unless the crawl is to end. */
  async function follow(fetch: BatchFetch, release: () => void): Promise<void> {
    const { report, stored, isClosed } = await fetch.ended.finally(() => {
      fetches.delete(fetch);
      release();
    });
    tracker.add(report.counters);
    sums.end(fetch.batchId);
    if (isClosed) return;
    if (stored > 0) return update(fetch.batchId);
    // What it releases must not be selected before it is known whether anything of it had been fetched earlier.
    // What newer rules refuse is not selected again.
    const expectNothing = !report.counters.rejected_rules;
    await selector.pauseFor(() => update(fetch.batchId, { expectNothing }));
  }

  /** Milliseconds until updatedb takes what is fetched; Infinity while there is nothing, or it is at work. */
  function untilFlush(): number {
    if (updates > 0) return Infinity;
    const { size, since } = outgoing;
    return flushIn({ size, age: performance.now() - since, left: pagesLeft(), threads, isIdle: fetcher.isIdle });
  }

  async function flush(): Promise<void> {
    const batchId = await outgoing.close();
    if (batchId !== undefined) tasks.add(update(batchId));
  }

  /** Adds the links of what was fetched, and plans its next fetch. */
  async function update(batchId: string, { expectNothing = false } = {}): Promise<void> {
    if (tracker.aborted || tasks.failure) return;
    updates += 1;
    try {
      const { report, released } = await updateAndCount(crawl, { ...step, batch: batchId });
      tracker.add(onlyThose(report.counters, UPDATEDB_IN_CRAWL));
      options.onUpdated?.();
      const fetchedNothing = released.notFetched > 0 && released.fetched === 0;
      if (!expectNothing || !fetchedNothing) selector.lookAgain();
      // What could not be fetched is due again at once: the next round would be this one.
      else if (tasks.size <= 1 && outgoing.size === 0) selector.giveUp();
    } finally {
      updates -= 1;
    }
  }

  try {
    watch?.(progress, fetcher.status);
    timeUp.addEventListener('abort', wake.now, { once: true });
    await goOn().catch(tasks.fail);
    if (tasks.failure) fetcher.abort();
    await tasks.settled();
    // What came in since the last one, also where the crawl was ended.
    await flush().catch(tasks.fail);
    await tasks.settled();
    if (tasks.failure) throw tasks.failure.error;
    tracker.add(selector.skipped, 'generate_');
  } finally {
    timeUp.removeEventListener('abort', wake.now);
    // All is through, or is not to go on.
    fetcher.abort();
    await fetcher.close();
  }
}
