import type { BatchFetch } from '../fetching/batch-fetch.js';
import type { CrawlContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { openFetcher, type Fetcher } from '../fetching/fetcher.js';
import { createOutgoingBatch, type OutgoingBatch } from '../fetching/outgoing-batch.js';
import { flushIn } from './flush-time.js';
import type { JobOptions, Progress } from '../reporting/job.js';
import { holdBatch } from '../rows/hold-batch.js';
import { createRoundsProgress } from './rounds-progress.js';
import { LOOK_AGAIN, RoundSelector } from './round-selector.js';
import type { Tracker } from '../reporting/tracker.js';
import { createTasks, type Tasks } from './tasks.js';
import { updateAndCount } from '../updatedb.js';
import type { Watch } from '../reporting/running-jobs.js';
import { createWake, type Wake } from './wake.js';

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
  const wake = createWake();
  const { signal, threads = crawl.settings.fetcher.threadsFetch } = options;
  const fetcher = await openFetcher(crawl, {
    threads,
    count: tracker.count,
    onChange: wake.now,
    timeUp,
    ...(signal && { signal }),
  });
  try {
    const rounds = new Rounds(crawl, options, tracker, fetcher, wake, timeUp);
    watch?.(
      () => rounds.progress,
      () => fetcher.status(),
    );
    await rounds.run();
  } finally {
    // All is through, or is not to go on.
    fetcher.abort();
    await fetcher.close();
  }
}

class Rounds {
  readonly #crawl: CrawlContext;
  readonly #options: CrawlOptions;
  readonly #tracker: Tracker;
  readonly #fetcher: Fetcher;
  readonly #wake: Wake;
  readonly #timeUp: AbortSignal;
  readonly #threads: number;
  readonly #selector: RoundSelector;
  readonly #outgoing: OutgoingBatch;
  readonly #fetches = new Set<BatchFetch>();
  /** Each follows a batch to the end of its updatedb. */
  readonly #tasks: Tasks;
  readonly #progress = createRoundsProgress();
  /** Runs of updatedb under way. */
  #updates = 0;

  constructor(
    crawl: CrawlContext,
    options: CrawlOptions,
    tracker: Tracker,
    fetcher: Fetcher,
    wake: Wake,
    timeUp: AbortSignal,
  ) {
    this.#crawl = crawl;
    this.#options = options;
    this.#tracker = tracker;
    this.#fetcher = fetcher;
    this.#wake = wake;
    this.#timeUp = timeUp;
    this.#threads = options.threads ?? crawl.settings.fetcher.threadsFetch;
    this.#selector = new RoundSelector(crawl, options, tracker);
    this.#outgoing = createOutgoingBatch(crawl);
    this.#tasks = createTasks(wake.now);
  }

  get progress(): Progress {
    const { maxPages } = this.#options;
    const total = maxPages === undefined ? {} : { total: maxPages };
    for (const fetch of this.#fetches) this.#progress.add(fetch.progress);
    return { job: 'crawl', round: this.#selector.rounds, ...total, ...this.#progress.sum() };
  }

  async run(): Promise<void> {
    this.#timeUp.addEventListener('abort', this.#wake.now, { once: true });
    try {
      await this.#goOn();
    } catch (error) {
      this.#tasks.fail(error);
    } finally {
      this.#timeUp.removeEventListener('abort', this.#wake.now);
    }
    if (this.#tasks.failure) this.#fetcher.abort();
    await this.#tasks.settled();
    // What came in since the last one, also where the crawl was ended.
    await this.#flush().catch(this.#tasks.fail);
    await this.#tasks.settled();
    if (this.#tasks.failure) throw this.#tasks.failure.error;
    this.#tracker.add(this.#selector.skipped, 'generate_');
  }

  async #goOn(): Promise<void> {
    for (const { batchId, state, size } of await this.#crawl.tables.batches.list()) {
      if (state === 'generating' || state === 'updated') continue;
      this.#selector.countSelected(size);
      await this.#begin(batchId);
    }
    while (!this.#tracker.aborted && !this.#tasks.failure) {
      if (this.#timeUp.aborted) return this.#tracker.count('time_limit');
      const wait = Math.min(this.#flushIn, LOOK_AGAIN);
      if (wait <= 0) await this.#flush();
      else if (this.#selector.wantsMore(this.#fetchState)) await this.#select();
      else if (this.#tasks.size > 0 || this.#outgoing.size > 0) await this.#wake.wait(wait);
      else if (!this.#selector.sawOutsideChanges()) return;
    }
  }

  get #pagesLeft(): number {
    let left = 0;
    for (const { pagesLeft } of this.#fetches) left += pagesLeft;
    return left;
  }

  get #fetchState() {
    const isAtRest = this.#tasks.size === 0 && this.#outgoing.size === 0;
    return { isIdle: this.#fetcher.isIdle, pagesLeft: this.#pagesLeft, isAtRest };
  }

  async #select(): Promise<void> {
    const { signal } = this.#options;
    const stop = signal ? AbortSignal.any([signal, this.#timeUp]) : this.#timeUp;
    const batchId = await this.#selector.select(stop, (queue) => this.#fetcher.hasPages(queue));
    if (batchId !== undefined) await this.#begin(batchId);
  }

  async #begin(batchId: string): Promise<void> {
    const release = await holdBatch(this.#crawl, batchId);
    try {
      const batch = await this.#crawl.tables.batches.get(batchId);
      if (batch.state !== 'open') {
        release();
        return this.#tasks.add(this.#update(batchId));
      }
      const fetch = await this.#fetcher.begin(batch, {
        ...this.#step,
        onProgress: (progress) => this.#report(progress),
        resume: true,
        parse: true,
        ...(!this.#selector.isStrict && { outgoing: this.#outgoing }),
      });
      this.#fetches.add(fetch);
      this.#tasks.add(this.#follow(fetch, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Waits for a batch to be fetched, then updates what has not moved on, unless the crawl is to end. */
  async #follow(fetch: BatchFetch, release: () => void): Promise<void> {
    const { report, stored, isClosed } = await fetch.ended.finally(() => {
      this.#fetches.delete(fetch);
      release();
    });
    const { time_limit: _, ...counters } = report.counters;
    this.#tracker.add(counters);
    this.#progress.end(fetch.batchId);
    if (isClosed) return;
    if (stored > 0) return this.#update(fetch.batchId);
    // What it releases must not be selected before it is known whether anything of it had been fetched earlier.
    await this.#selector.pauseFor(() => this.#update(fetch.batchId, { expectNothing: true }));
  }

  /** Milliseconds until updatedb takes what is fetched; Infinity while there is nothing, or it is at work. */
  get #flushIn(): number {
    if (this.#updates > 0) return Infinity;
    const { size, since } = this.#outgoing;
    const { isIdle } = this.#fetcher;
    return flushIn({ size, age: performance.now() - since, left: this.#pagesLeft, threads: this.#threads, isIdle });
  }

  async #flush(): Promise<void> {
    const batchId = await this.#outgoing.close();
    if (batchId !== undefined) this.#tasks.add(this.#update(batchId));
  }

  /** Adds the links of what was fetched, and plans its next fetch. */
  async #update(batchId: string, { expectNothing = false } = {}): Promise<void> {
    if (this.#tracker.aborted || this.#tasks.failure) return;
    this.#updates += 1;
    try {
      const { report, released } = await updateAndCount(this.#crawl, { ...this.#step, batch: batchId });
      for (const [name, n] of Object.entries(report.counters)) {
        if (isOfUpdatedb(name)) this.#tracker.add({ [name]: n });
      }
      const fetchedNothing = released.notFetched > 0 && released.fetched === 0;
      if (!expectNothing || !fetchedNothing) this.#selector.lookAgain();
      // What could not be fetched is due again at once: the next round would be this one.
      else if (this.#tasks.size <= 1 && this.#outgoing.size === 0) this.#selector.giveUp();
    } finally {
      this.#updates -= 1;
    }
  }

  get #step(): JobOptions {
    const { signal } = this.#options;
    return signal ? { signal } : {};
  }

  #report(progress: Progress): void {
    // Also the last of a batch that is through.
    this.#progress.add(progress);
    this.#options.onProgress?.(this.progress);
  }
}

/** The counters of updatedb that a crawl reports; the others would repeat what fetch and parse have counted. */
function isOfUpdatedb(name: string): boolean {
  return ['added', 'not_added', 'refused', 'sooner'].includes(name) || name.startsWith('plugin_error_');
}
