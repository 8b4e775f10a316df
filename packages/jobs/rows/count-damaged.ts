import { CrawlError } from '../../errors/index.js';
import type { Count } from '../reporting/counters.js';

/** Counts a row that could not be changed because its content cannot be read. Any other error is thrown again. */
export function countDamaged(error: unknown, count: Count): void {
  if (!(error instanceof CrawlError) || error.code !== 'TABLE_DAMAGED') throw error;
  count('damaged');
}
