import { findBatch, makeBatchId } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** An id that no batch ever had: rows remember batches by their id. */
export async function newBatchId(crawl: Pick<CrawlContext, 'table' | 'clock' | 'random'>): Promise<string> {
  for (;;) {
    const batchId = makeBatchId(crawl.clock(), crawl.random());
    if (!(await findBatch(crawl.table.store, batchId))) return batchId;
  }
}
