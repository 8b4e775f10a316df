import type { JobRun } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { openFetcher } from '../fetching/fetcher.js';
import { addCounters, type Counts } from '../reporting/counters.js';
import type { Progress } from '../reporting/job.js';
import { NO_TOTALS, type JobTotals } from '../reporting/totals.js';
import { createWake, defined } from '../../util/index.js';
import { claimRows } from '../rows/batch-rows.js';
import { hasPart, partOf, withinBatch } from '../shards/job-slots.js';
import { createBatchesUnderWay } from './batches-under-way.js';
import type { CrawlWork } from './crawl-work.js';
import { POLL_MS } from './due-watch.js';
import { RoundSelector } from './round-selector.js';
import { createTasks } from './tasks.js';

/** The sums of the rounds of a crawl. */
export interface CrawlSoFar {
  /** Number of selected pages. */
  readonly pages: number;
  readonly rounds: number;
  readonly totals: JobTotals;
}

export const NOTHING_CRAWLED: CrawlSoFar = { pages: 0, rounds: 0, totals: NO_TOTALS };

/**
 * Crawls in rounds until no row is due, a limit is reached, or a round could fetch nothing. If neither the number of rounds nor the
 * distance is limited, rounds overlap: the next round is selected while the previous round is being fetched. Then fetched pages move to an
 * outgoing batch, and updatedb runs on this batch after 20,000 pages or sooner. No other fetcher may run on the table.
 * At the time limit of the crawl, the running rounds end, and no further round begins.
 * @param before the sums of earlier rounds of the same crawl
 * @returns the sums, including `before`
 */
export async function crawlRounds(
  crawl: JobRun,
  options: CrawlOptions,
  { tracker, timeUp, findings, watch, ruleSteps }: Omit<CrawlWork, 'crawl' | 'options'>,
  before: CrawlSoFar = NOTHING_CRAWLED,
): Promise<CrawlSoFar> {
  const { signal, threads = crawl.settings.fetcher.threadsFetch } = options;
  const wake = createWake();
  const fetcher = await openFetcher(crawl, {
    threads,
    count: tracker.count,
    onChange: wake.now,
    findings,
    timeUp,
    ...defined({ signal, onFetched: options.onFetched }),
  });
  const selector = new RoundSelector(crawl, options, tracker);
  const tasks = createTasks(wake.now);
  const onProgress = (): void => options.onProgress?.(progress());
  const batches = createBatchesUnderWay({
    crawl,
    options,
    tracker,
    fetcher,
    selector,
    tasks,
    onProgress,
    before: before.totals,
  });
  /** The counters of the rules that were proposed and added so far. */
  let proposed: Counts = {};
  /** The round after which rules were last proposed. */
  let proposedAt = 0;

  function progress(): Progress {
    const { maxPages } = options;
    const sum = batches.sum();
    return {
      job: 'crawl',
      round: before.rounds + selector.rounds,
      ...(maxPages !== undefined && { total: maxPages }),
      ...sum,
      toGo: batches.pagesLeft(),
      counters: { ...sum.counters, ...proposed },
    };
  }

  async function goOn(): Promise<void> {
    const adopted = (await crawl.tables.batches.list()).filter(
      (header) => header.state !== 'generating' && hasPart(crawl, header),
    );
    for (const header of adopted) await claimRows(withinBatch(crawl, header), header.batchId);
    for (const { batchId, size } of adopted) {
      selector.countSelected(size);
      await batches.begin(batchId);
    }
    while (!tracker.aborted && !tasks.failure) {
      if (timeUp.aborted) return tracker.count('time_limit');
      const { isIdle } = fetcher;
      const isAtRest = batches.isAtRest();
      const wait = Math.min(batches.untilFlush(), POLL_MS);
      if (wait <= 0) await batches.flush();
      else if (selector.wantsMore({ isIdle, pagesLeft: batches.pagesLeft(), isAtRest })) await select();
      else if (!isAtRest) await wake.wait(wait);
      else if (!selector.sawOutsideChanges()) return;
    }
  }

  async function select(): Promise<void> {
    const stop = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
    await proposeIfDue(stop);
    // A new `www` rule refuses rows whose URL has the old form of a host. Their pages get rows with the new form before rows are selected.
    // This changes rows of all slots, so a worker with a part of them leaves it to `rules apply`.
    const applied = partOf(crawl) ? undefined : await ruleSteps.apply({ signal: stop });
    if (applied) tracker.add(applied.counters, 'apply_');
    const batchId = await selector.select(stop, fetcher);
    if (batchId !== undefined) await batches.begin(batchId);
  }

  async function proposeIfDue(stop: AbortSignal): Promise<void> {
    const { propose = Infinity } = options;
    if (selector.rounds - proposedAt < propose) return;
    proposedAt = selector.rounds;
    const counts = await ruleSteps.propose({ signal: stop });
    tracker.count('proposals');
    tracker.add(counts, 'propose_');
    const { applied = 0 } = counts;
    if (applied > 0) proposed = addCounters(proposed, { propose_applied: applied });
    onProgress();
  }

  try {
    watch(progress, fetcher.status);
    timeUp.addEventListener('abort', wake.now, { once: true });
    await goOn().catch(tasks.fail);
    if (tasks.failure) fetcher.abort();
    await tasks.settled();
    // At a limit, updatedb runs on the fetched pages now. After a stop, it runs on them in the next crawl.
    await batches.flush().catch(tasks.fail);
    await tasks.settled();
    if (tasks.failure) throw tasks.failure.error;
    tracker.add(selector.skipped, 'generate_');
    return {
      pages: before.pages + selector.pages,
      rounds: before.rounds + selector.rounds,
      totals: batches.sum(),
    };
  } finally {
    timeUp.removeEventListener('abort', wake.now);
    // All work is done, or the crawl has to stop.
    fetcher.abort();
    await fetcher.close();
  }
}
