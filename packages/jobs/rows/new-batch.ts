import { makeBatchId, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { partOf } from '../shards/job-slots.js';

/** Creates a batch of the slots of the job, with an id that was never used before. This matters, because rows store ids of closed batches. */
export async function newBatch(
  crawl: Pick<CrawlContext, 'tables' | 'clock' | 'random' | 'jobSlots'>,
  header: Omit<BatchHeader, 'batchId' | 'size' | 'slots'>,
): Promise<string> {
  const { tables, clock, random } = crawl;
  const slots = partOf(crawl);
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
