import { createSeldom } from '../../util/index.js';
import type { CrawlContext } from '../context.js';

/** The number of due rows that no batch holds. */
export interface DueCount {
  readonly count: number;
  /** Whether there are more due rows than `count`. */
  readonly more: boolean;
  /** When the rows were counted, in ms since the epoch. */
  readonly at: number;
}

/** Maximum number of rows that are counted. */
const LIMIT = 1_000_000;

/** Counts the due rows on demand. It counts so rarely that counting takes at most one percent of the time. */
export function createDueCount({ tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>) {
  const counted = createSeldom<DueCount>(async () => {
    const at = clock();
    const count = await tables.frontier.countDue(at, LIMIT);
    return { count, more: count >= LIMIT, at };
  });
  return {
    /** The result of the last count. */
    get last() {
      return counted.last;
    },
    /** Returns the last count if it is recent enough, or waits for a running count. Otherwise it counts again. */
    count: counted.read,
    /** Starts a count in the background. An error is ignored here, because the same error also ends the job that shows the count. */
    refresh: () => void counted.read().catch(() => undefined),
  };
}
