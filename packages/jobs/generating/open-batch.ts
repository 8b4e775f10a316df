import { batchTime, type BatchProgress, type SlotProgress } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import type { CrawlContext } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import { releaseRows } from '../selection/release-abandoned.js';
import { firstOf, shardSlots } from '../shards/job-slots.js';

/**
 * Opens a completely selected batch, so that it can be fetched.
 * @param rules the version of the rules that selected the rows
 */
export const openBatch = (
  { tables }: CrawlContext,
  batchId: string,
  size: number,
  rules: string | undefined,
): Promise<void> =>
  tables.batches.advance(batchId, ['generating'], () => ({
    state: 'open',
    size,
    ...(rules !== undefined && { rules }),
  }));

/**
 * Creates a batch, or joins a batch that other workers are generating too. Then it releases the rows that a killed run selected in the
 * slots of this worker.
 * @returns the slots of this worker that are not done yet, and the recorded progress of all slots
 */
export async function joinBatch(
  crawl: CrawlContext,
  batchId: string,
  tracker: Tracker,
): Promise<{ readonly left: ReadonlySet<string>; readonly seen: BatchProgress }> {
  const { batches, slots } = crawl.tables;
  if (batchTime(batchId) === undefined) {
    throw new CrawlError('USAGE', `expected a batch id, found "${safeText(batchId, 80)}"`, {
      hint: '`webcrawl batch-id` makes a batch id',
    });
  }
  const header = await batches.change(batchId, (found) => (found ? undefined : { state: 'generating', size: 0 }));
  if (header?.state !== 'generating') return { left: new Set(), seen: new Map() };
  const seen = await batches.progress(batchId, shardSlots(crawl));
  const isOpen = (slot: string): boolean => seen.get(slot)?.generated === undefined;
  const left = new Set([...(crawl.jobSlots?.slots ?? slots.all)].filter(isOpen));
  tracker.count('released_unfinished', await releaseRows(crawl, batchId, left));
  return { left, seen };
}

/** Opens a batch if all its slots are generated, and stores its number of rows as its size. A batch without rows is closed instead. */
export async function openIfGenerated(crawl: CrawlContext, batchId: string, rules: string | undefined): Promise<void> {
  const { batches } = crawl.tables;
  let size = 0;
  const isGenerated = ({ generated }: SlotProgress): boolean => {
    size += generated ?? 0;
    return generated !== undefined;
  };
  if (!(await batches.everyProgress(batchId, isGenerated, firstOf(crawl.jobSlots?.slots)))) return;
  const state = size > 0 ? 'open' : 'closed';
  // Another worker may have opened the batch already.
  await batches.change(batchId, (header) =>
    header?.state === 'generating' ? { state, size, ...(rules !== undefined && { rules }) } : undefined,
  );
  if (size === 0) await batches.forget(batchId);
}
