import type { CrawlContext } from '../context.js';

/**
 * Waits until no other job of this process works on a batch, and locks the batch.
 * @returns a function that releases the lock
 */
export function lockBatch({ tables }: Pick<CrawlContext, 'tables'>, batchId: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    tables.exclusive(`batch ${batchId}`, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
