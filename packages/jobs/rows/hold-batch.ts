import type { CrawlContext } from '../context.js';

/**
 * Waits until nobody else works on a batch, and holds it.
 * @returns what releases it
 */
export function holdBatch({ tables }: Pick<CrawlContext, 'tables'>, batchId: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    tables.exclusive(`batch ${batchId}`, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
