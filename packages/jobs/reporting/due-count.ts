import type { CrawlContext } from '../context.js';
import { createSeldom } from './seldom.js';

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

/** Counts on demand, and so seldom that it takes at most a hundredth of the time. */
export function createDueCount({ tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>) {
  const counted = createSeldom<DueCount>(async () => {
    const at = clock();
    const count = await tables.frontier.countDue(at, LIMIT);
    return { count, more: count >= LIMIT, at };
  });
  return {
    /** The last count. */
    get last() {
      return counted.last;
    },
    /** Counts, unless the last count is new enough or one is under way. */
    count: counted.read,
    /** The same in the background. The job that shows it meets the fault of the table by itself. */
    refresh: () => void counted.read().catch(() => undefined),
  };
}
