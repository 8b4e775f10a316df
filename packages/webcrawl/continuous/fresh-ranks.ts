import type { Retry } from '../retry.js';

/** Milliseconds after which ranks are computed again in a crawl that is never idle. */
const MAX_AGE_MS = 600_000;
/** The pause after a ranking is this many times as long as the ranking took. */
const MIN_PAUSE_RATIO = 9;

interface RankSteps {
  rank(): Promise<unknown>;
  /** Writes the ranks into the search index, now or later. */
  index(): Promise<void>;
}

/**
 * Runs the steps only when pages have changed, and for at most a tenth of the time. Failed steps are retried.
 * @param now milliseconds that are never set back
 */
export function createFreshRanks(steps: RankSteps, retry: Retry, now: () => number = () => performance.now()) {
  /** True at the start, because the last process may have been killed before it computed ranks. */
  let isStale = true;
  let underWay: Promise<void> | undefined;
  let nextWhenIdle = -Infinity;
  let nextInCrawl = now() + MAX_AGE_MS;

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
    nextWhenIdle = ended + MIN_PAUSE_RATIO * (ended - began);
    nextInCrawl = retry.isDue ? Math.max(nextWhenIdle, ended + MAX_AGE_MS) : nextWhenIdle;
    underWay = undefined;
  }

  function makeFrom(time: number): void {
    if (isStale && !underWay && retry.isDue && now() >= time) underWay = make();
  }

  return {
    /** Call it after pages have changed. It computes ranks if the last ranks are at least ten minutes old. */
    onUpdated(): void {
      isStale = true;
      makeFrom(nextInCrawl);
    },
    /** Call it when no page is left to fetch. It computes ranks if pages have changed since the last ranking. */
    onIdle: (): void => makeFrom(nextWhenIdle),
    async settled(): Promise<void> {
      await underWay;
    },
  };
}
