import type { JobRun } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { selectRound, type Selection } from '../generate.js';
import { createQueueDelays } from '../hosts/queue-delays.js';
import { FOLD_IN_CRAWL, onlyThose } from '../reporting/counters.js';
import type { Report } from '../reporting/job.js';
import type { Tracker } from '../reporting/tracker.js';
import { createDueWatch, type DueWatch } from './due-watch.js';
import { createHostShares, type HostsInWork } from './host-shares.js';

/** Maximum number of pages in a round, for each allowed request. */
export const PAGES_PER_THREAD = 20;
/** Maximum seconds of work on one host in a round. */
const HOST_SECONDS = 30;
/** Number of rounds of full size that may be selected before their pages are needed. */
const ROUNDS_AHEAD = 4;
/**
 * Maximum number of hosts of one domain on which the fetcher works, for each allowed request. This number of hosts keeps all requests busy
 * in spite of the delays.
 */
const HOSTS_PER_THREAD = 5;

/** The state of the fetch. It decides whether another round is needed. */
interface FetchState {
  /** Whether more requests could run. */
  readonly isIdle: boolean;
  readonly pagesLeft: number;
  /** Whether no page is being fetched, and updatedb is not running. */
  readonly isAtRest: boolean;
}

/** Selects the rounds of a crawl, and decides when the next round is needed. */
export class RoundSelector {
  /**
   * Whether each round begins only after the previous round has ended. A limit of distance needs this, because distances are exact only if
   * pages are fetched in the order of their distance.
   */
  readonly isStrict: boolean;
  /** Number of rounds that were selected so far. */
  rounds = 0;
  /** Counters of the rows that the last round skipped. */
  skipped: Report['counters'] = {};
  readonly #crawl: JobRun;
  readonly #tracker: Tracker;
  readonly #maxRounds: number;
  readonly #maxPages: number;
  /** Maximum number of pages in a round. */
  readonly #size: number;
  /** Maximum number of pages of one host, domain or IP in a round. */
  readonly #perQueue: number;
  /** Maximum number of hosts of one domain that are fetched at the same time. */
  readonly #perDomain: number;
  readonly #due: DueWatch;
  /** Number of pages that were selected so far. */
  pages = 0;
  /** Settles when the running selection has ended. */
  #selecting: Promise<unknown> = Promise.resolve();
  #pauses = 0;

  constructor(crawl: JobRun, options: CrawlOptions, tracker: Tracker) {
    const { fetcher } = crawl.settings;
    const { rounds, maxPages = Infinity, topN, threads = fetcher.threadsFetch } = options;
    const delay = createQueueDelays(fetcher).of('');
    this.#crawl = crawl;
    this.#tracker = tracker;
    this.#due = createDueWatch(crawl.outsideChanges);
    this.#maxRounds = rounds ?? Infinity;
    this.#maxPages = maxPages;
    this.isStrict = rounds !== undefined || crawl.settings.generate.maxDistance >= 0;
    this.#size = topN ?? (this.isStrict ? Infinity : PAGES_PER_THREAD * threads);
    this.#perQueue = this.isStrict || delay === 0 ? Infinity : Math.ceil(HOST_SECONDS / delay);
    this.#perDomain = this.isStrict ? Infinity : HOSTS_PER_THREAD * threads;
  }

  /** Adds the pages of a batch that was selected before this crawl. */
  countSelected(pages: number): void {
    this.pages += pages;
  }

  /** Whether another round must be selected now. */
  wantsMore({ isIdle, pagesLeft, isAtRest }: FetchState): boolean {
    if (this.#pauses > 0 || this.#isFull || !this.#due.mayFind) return false;
    if (this.isStrict || isAtRest) return isAtRest && !this.#due.foundNothing;
    return pagesLeft < this.#size || (isIdle && pagesLeft < ROUNDS_AHEAD * this.#size);
  }

  /**
   * Selects a round.
   * @param fetcher tells which queues have pages. These queues are skipped if a round has a maximum number of pages for each queue.
   * @returns the id of the batch; undefined if no row is due
   */
  async select(signal: AbortSignal, fetcher: HostsInWork): Promise<string | undefined> {
    const topN = Math.min(this.#size, this.#maxPages - this.pages);
    const noteFound = this.#due.begin();
    const selecting = this.#generate(signal, topN, fetcher);
    this.#selecting = selecting.catch(() => undefined);
    const { report, size, skipped, folded } = await selecting;
    this.#tracker.add(onlyThose(folded, FOLD_IN_CRAWL));
    const { batchId } = report;
    this.skipped = skipped;
    noteFound(batchId !== undefined);
    if (batchId === undefined) return undefined;
    this.rounds += 1;
    this.pages += size;
    this.#tracker.count('rounds');
    return batchId;
  }

  /**
   * Selects at most `topN` rows. The hosts of a domain may use up its share although none of their rows can be selected, for example
   * because a filter rejects them. If nothing was found, the hosts beyond the share are read too. Therefore a crawl ends only if no row is
   * due.
   */
  async #generate(signal: AbortSignal, topN: number, fetcher: HostsInWork): Promise<Selection> {
    const { maxCount } = this.#crawl.settings.generate;
    const perQueue = maxCount < 0 ? this.#perQueue : Math.min(maxCount, this.#perQueue);
    const generate = (most: number, isBusy?: (queue: string) => boolean | 'end'): Promise<Selection> =>
      selectRound(this.#crawl, {
        signal,
        ...(most < Infinity && { topN: most }),
        ...(perQueue < Infinity && { maxCount: perQueue }),
        ...(isBusy && { isBusy }),
      });
    if (this.isStrict) return generate(topN);
    const bounds = { passesOverBusy: this.#perQueue < Infinity, perDomain: this.#perDomain };
    const shares = createHostShares(fetcher, { ...bounds, share: this.#perDomain });
    const found = await generate(topN, shares.isBusy);
    if (found.report.batchId !== undefined || signal.aborted || !shares.isShareUsedUp()) return found;
    const { isBusy } = createHostShares(fetcher, { ...bounds, share: Infinity });
    return generate(Math.min(topN, this.#perDomain), isBusy);
  }

  /** Records that further rows may be due now. */
  lookAgain(): void {
    this.#due.lookAgain();
  }

  /** Records that the due rows cannot be fetched. Nothing is selected until another process changes rows. */
  giveUp(): void {
    this.#due.giveUp();
  }

  /** Waits until a running selection has ended, then runs a task. While the task runs, nothing is selected. */
  async pauseFor(task: () => Promise<void>): Promise<void> {
    this.#pauses += 1;
    try {
      await this.#selecting;
      await task();
    } finally {
      this.#pauses -= 1;
    }
  }

  /** Whether other processes have changed rows after the last poll. If so, the crawl polls again before it ends. */
  sawOutsideChanges(): boolean {
    return this.#due.sawOutsideChanges() && !this.#isFull;
  }

  get #isFull(): boolean {
    return this.rounds >= this.#maxRounds || this.pages >= this.#maxPages;
  }
}
