import type { Retry } from '../retry.js';

/** Milliseconds after which a crawl that does not come to rest is ranked. */
const EVERY = 600_000;
/** After ranking there is so many times as long a pause as it took. */
const TIMES_ITS_COST = 9;

/** How ranks are made: each resolves when it is through. */
export interface RankSteps {
  /** Computes the ranks and writes them to the rows. */
  rank(): Promise<unknown>;
  /** Takes them into the search index, now or later. */
  index(): Promise<void>;
}

/** Keeps the ranks of a crawl fresh, beside it. */
export interface FreshRanks {
  /** Pages have changed: ranks are made if the last ones are ten minutes old. */
  onUpdated(): void;
  /** Nothing is left to fetch: ranks are made if pages have changed since the last ones. */
  onRest(): void;
  /** No ranks are being made. */
  settled(): Promise<void>;
}

/**
 * Makes ranks when they are of use, and so seldom that it takes a tenth of the time at most. Where that fails, it is tried
 * again.
 * @param now milliseconds that are never set back
 */
export function createFreshRanks(
  steps: RankSteps,
  retry: Retry,
  now: () => number = () => performance.now(),
): FreshRanks {
  /** The last process may have been killed before it made any. */
  let isStale = true;
  let underWay: Promise<void> | undefined;
  let nextAtRest = -Infinity;
  let nextInCrawl = now() + EVERY;

  async function make(): Promise<void> {
    const began = now();
    isStale = false;
    try {
      await steps.rank();
      await steps.index();
      retry.succeeded();
    } catch (error) {
      isStale = true;
      retry.failed(error);
    }
    const ended = now();
    nextAtRest = ended + TIMES_ITS_COST * (ended - began);
    nextInCrawl = retry.isDue ? Math.max(nextAtRest, ended + EVERY) : nextAtRest;
    underWay = undefined;
  }

  function makeFrom(time: number): void {
    if (isStale && !underWay && retry.isDue && now() >= time) underWay = make();
  }

  return {
    onUpdated() {
      isStale = true;
      makeFrom(nextInCrawl);
    },
    onRest: () => makeFrom(nextAtRest),
    async settled() {
      await underWay;
    },
  };
}
