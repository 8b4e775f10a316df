import type { CrawlContext } from '../context.js';
import { firstOf, hold } from './own-slots.js';

/**
 * Notes that own slots of a batch are through with a part of the work on it.
 * @returns whether all slots of the table are
 * @throws CrawlError LEASE_LOST
 */
export async function noteDone(
  crawl: CrawlContext,
  batchId: string,
  own: Iterable<string>,
  part: 'linked' | 'released' | 'indexed',
): Promise<boolean> {
  const { batches } = crawl.tables;
  await hold(crawl);
  await batches.changeProgress(batchId, own, (before) => (before?.[part] ? undefined : { ...before, [part]: true }));
  if (await batches.everyProgress(batchId, (progress) => progress[part] === true, firstOf(own))) return true;
  // Where it was closed meanwhile, nothing is noted any more.
  const header = await batches.find(batchId);
  if (!header || header.state === 'closed') await batches.forget(batchId);
  return false;
}
