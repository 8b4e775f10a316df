import { makeBatchId, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** Creates a batch with an id that was never used before. This matters, because rows store ids of closed batches. */
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
