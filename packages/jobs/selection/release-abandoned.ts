import type { Settings } from '../../../config/index.js';
import { batchTime, withoutBatch, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext, JobRun } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import { checkLeases, hasOthers, hasPart, partOf, withinBatch } from '../shards/job-slots.js';

/**
 * Releases the rows of abandoned batches in the slots of the job. A batch is abandoned if a killed or aborted generate left it unfinished,
 * or if it is too old. No other worker generates in a slot whose lease this worker holds.
 */
export async function releaseAbandoned(crawl: JobRun, tracker: Tracker): Promise<void> {
  const { tables, settings } = crawl;
  const { batches } = tables;
  const now = crawl.clock();
  for (const { batchId } of await batches.list()) {
    let before: BatchHeader | undefined;
    await batches.change(batchId, (header) => {
      before = header && isAbandoned(settings, header, now) && hasPart(crawl, header) ? header : undefined;
      // While its rows are released, no job of this process may begin to fetch the batch. Other workers may still fetch its other slots.
      return before?.state === 'open' && !hasOthers(crawl, before) ? { ...before, state: 'generating' } : undefined;
    });
    if (!before) continue;
    // If the batch has a size, it was open before. Then an earlier generate was killed while it released the rows of the batch.
    const wasOpen = before.state === 'open' || before.size > 0;
    const own = withinBatch(crawl, before);
    await checkLeases(crawl);
    tracker.count(wasOpen ? 'expired' : 'released_unfinished', await releaseRows(own, batchId));
    if (!wasOpen) await batches.abandon(batchId, partOf(own));
    else
      await batches.change(batchId, (header) =>
        header?.state === 'generating' ? { ...header, state: 'open' } : undefined,
      );
  }
}

/**
 * Whether generate may release the rows of a batch. It is not checked here whether another generate works on the batch.
 * @param now in ms since the epoch
 */
function isAbandoned({ generate }: Pick<Settings, 'generate'>, { batchId, state }: BatchHeader, now: number): boolean {
  const isExpired = (batchTime(batchId) ?? 0) + generate.lockExpirySeconds * 1000 <= now;
  // After updatedb has begun on a batch, only updatedb may release its rows. Some of their links are already added, and must not be added
  // twice.
  return state === 'generating' || (state === 'open' && isExpired);
}

/** Returns the batches whose rows the next generate would release. It writes nothing. */
export async function abandonedBatches(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
): Promise<readonly BatchHeader[]> {
  const now = crawl.clock();
  const found = await crawl.tables.batches.list();
  return found.filter((header) => isAbandoned(crawl.settings, header, now));
}

/**
 * Releases the rows of a batch on which no other job works, in the slots of this job. For a row that does not exist it returns an empty change,
 * so that no late change of a dead worker adds the row to the batch.
 * @returns the number of rows that the batch held
 */
export async function releaseRows(crawl: JobRun, batchId: string): Promise<number> {
  const { tables, clock } = crawl;
  let count = 0;
  for await (const entries of tables.batches.entries(batchId, partOf(crawl))) {
    const keys = entries.map(({ rowKey }) => rowKey);
    await tables.changeRows(keys, [], clock(), async (rows) => {
      await checkLeases(crawl);
      return rows.map((row, i) => {
        if (!row) return { key: keys[i]! };
        if (row.marks?.generate !== batchId) return undefined;
        count += 1;
        return withoutBatch(row.key);
      });
    });
    await tables.batches.remove(entries);
  }
  return count;
}
