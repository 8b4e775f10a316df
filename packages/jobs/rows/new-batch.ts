import { makeBatchId, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/**
 * Creates a batch with an id that was never used before. This matters, because rows store ids of closed batches.
 * @param slots the slots of the batch; undefined: all slots
 */
export async function newBatch(
  { tables, clock, random }: Pick<CrawlContext, 'tables' | 'clock' | 'random'>,
  header: Omit<BatchHeader, 'batchId' | 'size' | 'slots'>,
  slots?: ReadonlySet<string>,
): Promise<string> {
  for (;;) {
    const batchId = makeBatchId(clock(), random());
    let isNew = true;
    await tables.batches.change(batchId, (found) => {
      isNew = found === undefined;
      return found ? undefined : { ...header, size: 0, ...(slots && { slots: [...slots] }) };
    });
    if (isNew) return batchId;
  }
}
