import type { CrawlContext } from '../context.js';

/** Rows that are due and held by no batch. */
export interface DueCount {
  readonly count: number;
  /** There are more: it was not counted further. */
  readonly more: boolean;
  /** When it was counted, in ms since the epoch. */
  readonly at: number;
}

/** Rows that are counted at the most. */
const LIMIT = 1_000_000;
const TIMES_ITS_COST = 100;

/** Counts on demand, and so seldom that it takes at most a hundredth of the time. */
export function createDueCount({ tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>) {
  let last: DueCount | undefined;
  let counting: Promise<DueCount> | undefined;
  let notBefore = -Infinity;

  async function count(): Promise<DueCount> {
    const began = performance.now();
    const at = clock();
    const found = await tables.frontier.countDue(at, LIMIT);
    const ended = performance.now();
    notBefore = ended + TIMES_ITS_COST * (ended - began);
    return (last = { count: found, more: found >= LIMIT, at });
  }

  const refreshed = (): Promise<DueCount> => {
    if (last && performance.now() < notBefore) return Promise.resolve(last);
    return (counting ??= count().finally(() => (counting = undefined)));
  };
  return {
    /** The last count. */
    get last() {
      return last;
    },
    /** Counts, unless the last count is new enough or one is under way. */
    count: refreshed,
    /** The same in the background. The job that shows it meets the fault of the table by itself. */
    refresh: () => void refreshed().catch(() => undefined),
  };
}
