import type { CrawlContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { generateAndCount } from '../generate.js';
import { createQueueDelays } from '../hosts/queue-delays.js';
import type { Report } from '../reporting/job.js';
import type { Tracker } from '../reporting/tracker.js';

/** Pages of a round for each request that may be in flight. */
const PAGES_PER_THREAD = 20;
/** Seconds of work that a round takes on of one host. */
const HOST_SECONDS = 30;
/** Pages that are selected ahead of the fetcher, in whole rounds. */
const ROUNDS_AHEAD = 4;
/** Milliseconds after which it is looked again whether anything is due. */
export const LOOK_AGAIN = 1000;

/** The state of the fetch, for the one who selects. */
export interface FetchState {
  /** More requests could be in flight. */
  readonly isIdle: boolean;
  readonly pagesLeft: number;
  /** Nothing is fetched or updated. */
  readonly isAtRest: boolean;
}

/** Selects the rounds of a crawl, and knows when it is of use to look for another. */
export class RoundSelector {
  /** One round after the other: a limit of distance is only met exactly where pages are fetched in the order of their distances. */
  readonly isStrict: boolean;
  /** Rounds so far. */
  rounds = 0;
  /** What the last one passed over. */
  skipped: Report['counters'] = {};
  readonly #crawl: CrawlContext;
  readonly #tracker: Tracker;
  readonly #maxRounds: number;
  readonly #maxPages: number;
  /** Pages of a round at the most. */
  readonly #size: number;
  /** Pages of a host, domain or IP in it at the most. */
  readonly #perQueue: number;
  #pages = 0;
  /** When it was last found that nothing is due, by `performance.now`; -Infinity when that may have changed. */
  #nothingDueSince = -Infinity;
  /** How often something new may have become due. */
  #generation = 0;
  /** Changes of other processes that were there when it was last looked what is due. */
  #outsideSeen = 0;
  /** Pages that were selected cannot be fetched, and would be selected again. */
  #isStuck = false;
  /** Settles when no batch is being selected. */
  #selecting: Promise<unknown> = Promise.resolve();
  #pauses = 0;

  constructor(crawl: CrawlContext, options: CrawlOptions, tracker: Tracker) {
    const { fetcher } = crawl.settings;
    const { rounds, maxPages = Infinity, topN, threads = fetcher.threadsFetch } = options;
    const delay = createQueueDelays(fetcher).of('');
    this.#crawl = crawl;
    this.#tracker = tracker;
    this.#maxRounds = rounds ?? Infinity;
    this.#maxPages = maxPages;
    this.isStrict = rounds !== undefined || crawl.settings.generate.maxDistance >= 0;
    this.#size = topN ?? (this.isStrict ? Infinity : PAGES_PER_THREAD * threads);
    this.#perQueue = this.isStrict || delay === 0 ? Infinity : Math.ceil(HOST_SECONDS / delay);
  }

  /** Pages of a batch that was selected before the crawl. */
  countSelected(pages: number): void {
    this.#pages += pages;
  }

  /** Whether another round is wanted now. */
  wantsMore({ isIdle, pagesLeft, isAtRest }: FetchState): boolean {
    if (this.#isStuck || this.#pauses > 0 || this.#isFull) return false;
    if (performance.now() - this.#nothingDueSince < LOOK_AGAIN) return false;
    if (this.isStrict || isAtRest) return isAtRest && this.#nothingDueSince === -Infinity;
    return pagesLeft < this.#size || (isIdle && pagesLeft < ROUNDS_AHEAD * this.#size);
  }

  /**
   * Selects a round.
   * @param isBusy queues of which nothing is taken, where rounds take a share of each only
   * @returns its batch; undefined where nothing is due
   */
  async select(signal: AbortSignal, isBusy: (queue: string) => boolean): Promise<string | undefined> {
    const topN = Math.min(this.#size, this.#maxPages - this.#pages);
    const generation = this.#generation;
    this.#outsideSeen = this.#crawl.outsideChanges?.() ?? 0;
    const selecting = generateAndCount(this.#crawl, {
      signal,
      ...(topN < Infinity && { topN }),
      maxPerQueue: this.#perQueue,
      ...(this.#perQueue < Infinity && { isBusy }),
    });
    this.#selecting = selecting.catch(() => undefined);
    const { report, size, skipped } = await selecting;
    const { batchId } = report;
    this.skipped = skipped;
    if (batchId === undefined) {
      if (generation === this.#generation) this.#nothingDueSince = performance.now();
      return undefined;
    }
    this.#nothingDueSince = -Infinity;
    this.rounds += 1;
    this.#pages += size;
    this.#tracker.count('rounds');
    return batchId;
  }

  /** Something new may have become due. */
  lookAgain(): void {
    this.#generation += 1;
    this.#nothingDueSince = -Infinity;
  }

  /** What is due cannot be fetched: no more is selected, unless other processes change rows. */
  giveUp(): void {
    this.#isStuck = true;
  }

  /** Selects nothing while a task is under way, which begins when nothing is being selected any more. */
  async pauseFor(task: () => Promise<void>): Promise<void> {
    this.#pauses += 1;
    try {
      await this.#selecting;
      await task();
    } finally {
      this.#pauses -= 1;
    }
  }

  /** Whether other processes have changed rows since the last look; then it is looked again before the crawl ends. */
  sawOutsideChanges(): boolean {
    const seen = this.#outsideSeen;
    this.#outsideSeen = this.#crawl.outsideChanges?.() ?? 0;
    if (this.#outsideSeen === seen || this.#isFull) return false;
    this.#nothingDueSince = -Infinity;
    this.#isStuck = false;
    return true;
  }

  get #isFull(): boolean {
    return this.rounds >= this.#maxRounds || this.#pages >= this.#maxPages;
  }
}
