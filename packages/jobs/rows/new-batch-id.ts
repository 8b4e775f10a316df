import { makeBatchId } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** An id that no batch ever had: rows remember batches by their id. */
export async function newBatchId(crawl: Pick<CrawlContext, 'tables' | 'clock' | 'random'>): Promise<string> {
  for (;;) {
    const batchId = makeBatchId(crawl.clock(), crawl.random());
    if (!(await crawl.tables.batches.find(batchId))) return batchId;
  }
}
