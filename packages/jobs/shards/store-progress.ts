import type { CrawlContext } from '../context.js';
import { checkLeases, firstOf } from './job-slots.js';

/**
 * Records that the slots of the job have completed a step of the work on a batch.
 * @returns whether all slots of the table have completed the step
 * @throws CrawlError LEASE_LOST
 */
export async function storeProgress(
  crawl: CrawlContext,
  batchId: string,
  slots: Iterable<string>,
  step: 'linked' | 'released' | 'indexed',
): Promise<boolean> {
  const { batches } = crawl.tables;
  await checkLeases(crawl);
  await batches.changeProgress(batchId, slots, (before) => (before?.[step] ? undefined : { ...before, [step]: true }));
  if (await batches.everyProgress(batchId, (progress) => progress[step] === true, firstOf(slots))) return true;
  // If the batch was closed meanwhile, the progress written above is removed.
  const header = await batches.find(batchId);
  if (!header || header.state === 'closed') await batches.forget(batchId);
  return false;
}
