import { getBatch, listBatches } from '../../../webtable/index.js';
import type { BatchFetch } from '../fetching/batch-fetch.js';
import type { CrawlContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { openFetcher, type Fetcher } from '../fetching/fetcher.js';
import { generate } from '../generate.js';
import type { JobOptions, Progress, Report } from '../reporting/job.js';
import { createRoundsProgress } from './rounds-progress.js';
import type { Tracker } from '../reporting/tracker.js';
import { updatedb } from '../updatedb.js';
import type { Watch } from '../reporting/running-jobs.js';
import { createWake, type Wake } from './wake.js';

/** Pages of a round for each request that may be in flight. */
const PAGES_PER_THREAD = 20;
/** Seconds of work that a round takes on of one host. */
const HOST_SECONDS = 30;
/** Pages that are selected ahead of the fetcher, in whole rounds. */
const ROUNDS_AHEAD = 4;
/** Pages left for each request that may be in flight when the links of a round are wanted before it is through. */
const RUNNING_DRY = 4;
/** Milliseconds for which a round is waited for that only few hosts hold up, and while the fetcher could do more. */
const PATIENCE = 500;
const PATIENCE_IDLE = 50;
/** Milliseconds after which it is looked again whether anything is due. */
const LOOK_AGAIN = 1000;

/**
 * Crawls in rounds until nothing is due, a limit is reached, or a round could fetch nothing. Rounds overlap where
 * neither they nor distances are limited: the next is selected while one is fetched, and the links of those that are
 * through are added beside it. The fetcher of the table must be free.
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

/** A round that is being fetched. */
interface Round {
  readonly fetch: BatchFetch;
  /** Lets other jobs have the batch. */
  release: () => void;
  /** Since when only few hosts hold it up. */
  heldSince: number | undefined;
}

class Rounds {
  readonly #crawl: CrawlContext;
  readonly #options: CrawlOptions;
  readonly #tracker: Tracker;
  readonly #fetcher: Fetcher;
  readonly #wake: Wake;
  readonly #timeUp: AbortSignal;
  /** One round after the other. */
  readonly #isStrict: boolean;
  readonly #threads: number;
  readonly #size: number;
  readonly #perQueue: number;
  readonly #open = new Set<Round>();
  /** Each ends with its updatedb, or with a failure that is noted. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #progress = createRoundsProgress();
  #failure: { readonly error: unknown } | undefined;
  #rounds = 0;
  #pages = 0;
  /** When it was last found that nothing is due, by `performance.now`; -Infinity when there is news. */
  #dryAt = -Infinity;
  /** How often something new may have become due. */
  #news = 0;
  /** Changes of other processes that were there when it was last looked what is due. */
  #outsideSeen = 0;
  /** Pages that were selected cannot be fetched, and would be selected again. */
  #isStuck = false;
  /** Settles when no batch is being selected. */
  #selecting: Promise<unknown> = Promise.resolve();
  /** Batches being updated of which nothing was fetched: what they let go of must not be selected before that is judged. */
  #doubtful = 0;
  #passedOver: Report['counters'] = {};

  constructor(
    crawl: CrawlContext,
    options: CrawlOptions,
    tracker: Tracker,
    fetcher: Fetcher,
    wake: Wake,
    timeUp: AbortSignal,
  ) {
    const { threadsFetch, threadsPerQueue, serverDelay, serverMinDelay } = crawl.settings.fetcher;
    const { rounds, topN, threads = threadsFetch } = options;
    const delay = threadsPerQueue > 1 ? serverMinDelay : serverDelay;
    this.#crawl = crawl;
    this.#options = options;
    this.#tracker = tracker;
    this.#fetcher = fetcher;
    this.#wake = wake;
    this.#timeUp = timeUp;
    // A limit of distance is only met exactly where pages are fetched in the order of their distances.
    this.#isStrict = rounds !== undefined || crawl.settings.generate.maxDistance >= 0;
    this.#threads = threads;
    this.#size = topN ?? (this.#isStrict ? Infinity : PAGES_PER_THREAD * threads);
    this.#perQueue = this.#isStrict || delay === 0 ? Infinity : Math.ceil(HOST_SECONDS / delay);
  }

  get progress(): Progress {
    const { maxPages } = this.#options;
    const total = maxPages === undefined ? {} : { total: maxPages };
    for (const { fetch } of this.#open) this.#progress.tell(fetch.progress);
    return { job: 'crawl', round: this.#rounds, ...total, ...this.#progress.sum() };
  }

  async run(): Promise<void> {
    this.#timeUp.addEventListener('abort', this.#wake.now, { once: true });
    try {
      await this.#goOn();
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#timeUp.removeEventListener('abort', this.#wake.now);
    }
    if (this.#failure) this.#fetcher.abort();
    await Promise.all(this.#tasks);
    if (this.#failure) throw (this.#failure as { error: unknown }).error;
    this.#tracker.add(this.#passedOver, 'generate_');
  }

  async #goOn(): Promise<void> {
    for (const { batchId, state, size } of await listBatches(this.#crawl.tables.store)) {
      if (state === 'generating') continue;
      this.#pages += size;
      await this.#begin(batchId);
    }
    while (!this.#tracker.aborted && !this.#failure) {
      if (this.#timeUp.aborted) return this.#tracker.count('time_limit');
      if (this.#wantsMore()) await this.#generate();
      else if (this.#tasks.size > 0) await this.#splitOrWait();
      else if (!this.#hasOutsideNews()) break;
    }
  }

  #wantsMore(): boolean {
    const { rounds = Infinity, maxPages = Infinity } = this.#options;
    if (this.#isStuck || this.#doubtful > 0 || this.#rounds >= rounds || this.#pages >= maxPages) return false;
    if (performance.now() - this.#dryAt < LOOK_AGAIN) return false;
    if (this.#isStrict || this.#tasks.size === 0) return this.#tasks.size === 0 && this.#dryAt === -Infinity;
    const left = this.#pagesLeft;
    return left < this.#size || (this.#fetcher.isIdle && left < ROUNDS_AHEAD * this.#size);
  }

  /** Other processes have changed rows since it was last looked what is due: it is looked again before the crawl ends. */
  #hasOutsideNews(): boolean {
    const { rounds = Infinity, maxPages = Infinity } = this.#options;
    const seen = this.#outsideSeen;
    this.#outsideSeen = this.#crawl.outsideChanges?.() ?? 0;
    if (this.#outsideSeen === seen || this.#rounds >= rounds || this.#pages >= maxPages) return false;
    this.#dryAt = -Infinity;
    this.#isStuck = false;
    return true;
  }

  get #pagesLeft(): number {
    let left = 0;
    for (const { fetch } of this.#open) left += fetch.pagesLeft;
    return left;
  }

  /** What is being fetched will soon be through, nothing else is due, no links are being added, and more is wanted. */
  get #isRunningDry(): boolean {
    const { maxPages = Infinity } = this.#options;
    return (
      this.#pages < maxPages &&
      this.#dryAt !== -Infinity &&
      this.#tasks.size === this.#open.size &&
      this.#pagesLeft < RUNNING_DRY * this.#threads
    );
  }

  async #generate(): Promise<void> {
    const { maxPages = Infinity } = this.#options;
    const topN = Math.min(this.#size, maxPages - this.#pages);
    const news = this.#news;
    this.#outsideSeen = this.#crawl.outsideChanges?.() ?? 0;
    const { signal } = this.#options;
    const selecting = generate(this.#crawl, {
      signal: signal ? AbortSignal.any([signal, this.#timeUp]) : this.#timeUp,
      ...(topN < Infinity && { topN }),
      maxPerQueue: this.#perQueue,
      ...(this.#perQueue < Infinity && { isBusy: (queue) => this.#fetcher.hasPages(queue) }),
    });
    this.#selecting = selecting.catch(() => undefined);
    const report = await selecting;
    const { generated = 0, ...passedOver } = report.counters;
    this.#passedOver = passedOver;
    if (report.batchId === undefined) {
      if (news === this.#news) this.#dryAt = performance.now();
      return;
    }
    this.#dryAt = -Infinity;
    this.#rounds += 1;
    this.#pages += generated;
    this.#tracker.count('rounds');
    await this.#begin(report.batchId);
  }

  async #begin(batchId: string): Promise<void> {
    const release = await this.#hold(batchId);
    try {
      const batch = await getBatch(this.#crawl.tables.store, batchId);
      if (batch.state !== 'open') {
        release();
        return this.#track(this.#update(batchId));
      }
      const fetch = await this.#fetcher.begin(batch, {
        ...this.#step((progress) => this.#tell(progress)),
        resume: true,
        parse: true,
      });
      const round: Round = { fetch, release, heldSince: undefined };
      this.#open.add(round);
      this.#track(this.#follow(round));
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Waits until nobody else works on a batch; nobody may while it is being fetched.
   * @returns what lets go of it
   */
  #hold(batchId: string): Promise<() => void> {
    return new Promise((hold) => {
      void this.#crawl.tables.exclusive(`batch ${batchId}`, () => new Promise<void>((release) => hold(release)));
    });
  }

  async #follow(round: Round): Promise<void> {
    let report: Report;
    try {
      report = await round.fetch.report;
    } finally {
      this.#open.delete(round);
      round.release();
    }
    await this.#updateFetched(report);
  }

  /** Updates what was fetched just now, unless the crawl is to end. */
  async #updateFetched({ batchId, counters: { time_limit: _, ...counters } }: Report): Promise<void> {
    this.#tracker.add(counters);
    if (batchId === undefined) return;
    this.#progress.end(batchId);
    if (counters['fetched'] !== undefined) return this.#update(batchId);
    this.#doubtful += 1;
    try {
      await this.#selecting;
      await this.#update(batchId, { mayBeInVain: true });
    } finally {
      this.#doubtful -= 1;
    }
  }

  /** Adds the links of what was fetched, and plans its next fetch. */
  async #update(batchId: string, { mayBeInVain = false } = {}): Promise<void> {
    if (this.#tracker.aborted || this.#failure) return;
    const { counters } = await updatedb(this.#crawl, { ...this.#step(), batch: batchId });
    this.#tracker.add(Object.fromEntries(Object.entries(counters).filter(([reason]) => OF_UPDATEDB.test(reason))));
    // What could not be fetched is due again at once: the next round would be this one.
    const isInVain = counters['not_fetched'] !== undefined && !OUTCOMES.some((outcome) => outcome in counters);
    if (isInVain && mayBeInVain) {
      if (this.#tasks.size <= 1) this.#isStuck = true;
      return;
    }
    this.#news += 1;
    this.#dryAt = -Infinity;
  }

  /**
   * Lets a round go on without the few hosts that hold it up. Where the fetcher is about to run dry, one that is half
   * through is split for the links of that half.
   */
  async #splitOrWait(): Promise<void> {
    const now = performance.now();
    const patience = this.#fetcher.isIdle ? PATIENCE_IDLE : PATIENCE;
    let wait = LOOK_AGAIN;
    for (const round of this.#open) {
      const { fetch } = round;
      const { pagesThrough } = fetch;
      if (this.#isStrict || !fetch.canSplit) continue;
      if (pagesThrough >= Math.max(this.#threads, fetch.pagesLeft) && this.#isRunningDry) return this.#split(round);
      if (!fetch.isHeldUp) round.heldSince = undefined;
      else if (now - (round.heldSince ??= now) >= patience) return this.#split(round);
      else wait = Math.min(wait, patience - (now - round.heldSince));
    }
    await this.#wake.wait(wait);
  }

  async #split(round: Round): Promise<void> {
    const { release } = round;
    round.heldSince = undefined;
    try {
      const report = await round.fetch.split(async (batchId) => void (round.release = await this.#hold(batchId)));
      this.#track(this.#updateFetched(report));
    } finally {
      release();
    }
  }

  #track(task: Promise<void>): void {
    const tracked = task
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => {
        this.#tasks.delete(tracked);
        this.#wake.now();
      });
    this.#tasks.add(tracked);
  }

  #step(onProgress?: JobOptions['onProgress']): JobOptions {
    const { signal } = this.#options;
    return { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  }

  #tell(progress: Progress): void {
    // Also the last of a batch that is through.
    this.#progress.tell(progress);
    this.#options.onProgress?.(this.progress);
  }
}

/** The counters of updatedb for rows that were fetched. */
const OUTCOMES = ['fetched', 'notmodified', 'redirected', 'gone', 'retry'];

/** The counters of updatedb that say more than those of fetch. */
const OF_UPDATEDB = /^(added|not_added|sooner|plugin_error_.*)$/;
