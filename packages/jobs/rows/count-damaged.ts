import { CrawlError } from '../../errors/index.js';
import type { Count } from '../reporting/counters.js';

/** Counts a row that refuses a change because what it holds cannot be read; any other error goes on. */
export function countDamaged(error: unknown, count: Count): void {
  if (!(error instanceof CrawlError) || error.code !== 'TABLE_DAMAGED') throw error;
  count('damaged');
}
