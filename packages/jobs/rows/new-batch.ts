import { makeBatchId, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** Makes a batch. Its id is one that no batch ever had: rows remember batches by their id. */
export async function newBatch(
  { tables, clock, random }: Pick<CrawlContext, 'tables' | 'clock' | 'random'>,
  header: Omit<BatchHeader, 'batchId' | 'size'>,
): Promise<string> {
  for (;;) {
    const batchId = makeBatchId(clock(), random());
    let isNew = true;
    await tables.batches.change(batchId, (found) => {
      isNew = found === undefined;
      return found ? undefined : { ...header, size: 0 };
    });
    if (isNew) return batchId;
  }
}
