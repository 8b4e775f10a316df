import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../../config/index.js';
import { batchTime, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import { checkLeases, firstOf, shardSlots } from '../shards/job-slots.js';

/**
 * Releases the rows of abandoned batches. A batch is abandoned if a killed or aborted generate left it unfinished, or if it is too old. No
 * other worker generates in a slot whose lease this worker holds.
 * @param joined the id of the batch that this generate continues
 */
export async function releaseAbandoned(
  crawl: CrawlContext,
  joined: string | undefined,
  tracker: Tracker,
): Promise<void> {
  const { tables, settings } = crawl;
  const { batches } = tables;
  const now = crawl.clock();
  const found = (await batches.list()).filter(({ batchId }) => batchId !== joined);
  if (found.length === 0) return;
  const isAtWork = await generatedByOthers(crawl);
  for (const { batchId } of found) {
    if (isAtWork(batchId)) continue;
    let before: BatchHeader | undefined;
    const seen = await batches.progress(batchId, shardSlots(crawl));
    await batches.change(batchId, (header) => {
      before = header && isAbandoned(settings, header, now) ? header : undefined;
      return before?.state === 'open' ? { ...before, state: 'generating' } : undefined;
    });
    if (!before) continue;
    // If the batch has a size, it was open before. Then an earlier generate was killed while it released the rows of the batch.
    const wasOpen = before.state === 'open' || before.size > 0;
    const ofShard = shardSlots(crawl);
    await checkLeases(crawl);
    // The next generate of this batch has to start again. If another worker owns a slot now, the progress that it has stored stays.
    if (ofShard) {
      await batches.changeProgress(batchId, ofShard, (now, slot) =>
        isDeepStrictEqual(now, seen.get(slot)) ? {} : undefined,
      );
    }
    tracker.count(wasOpen ? 'expired' : 'released_unfinished', await releaseRows(crawl, batchId, ofShard));
    await batches.robotsRequests.clear(batchId, ofShard);
    if (ofShard) {
      await checkLeases(crawl);
      await batches.changeProgress(batchId, ofShard, (now) =>
        isDeepStrictEqual(now, {}) ? { takenBack: true } : undefined,
      );
      if (!(await batches.everyProgress(batchId, ({ takenBack }) => takenBack === true, firstOf(ofShard)))) continue;
    }
    if (!wasOpen) await batches.delete(batchId);
    else {
      await batches.forget(batchId);
      await batches.change(batchId, (header) =>
        header?.state === 'generating' ? { ...header, state: 'open' } : undefined,
      );
    }
  }
}

/**
 * Whether generate may release the rows of a batch. It is not checked here whether another generate works on the batch.
 * @param now in ms since the epoch
 */
function isAbandoned({ generate }: Pick<Settings, 'generate'>, { batchId, state }: BatchHeader, now: number): boolean {
  const isExpired = (batchTime(batchId) ?? 0) + generate.lockExpiry * 1000 <= now;
  // After updatedb has begun on a batch, only updatedb may release its rows. Some of their links are already added, and must not be added
  // twice.
  return state === 'generating' || (state === 'open' && isExpired);
}

/** Returns a function that checks whether another worker is generating a batch. */
async function generatedByOthers({ tables }: Pick<CrawlContext, 'tables'>): Promise<(batchId: string) => boolean> {
  const others = (await tables.leases.holders()).filter(({ isOwn, isSilent }) => !isOwn && !isSilent);
  return (batchId) =>
    others.some(({ tasks }) => tasks.some((task) => task.job === 'generate' && task.batchId === batchId));
}

/** Returns the batches whose rows the next generate would release. It writes nothing. */
export async function abandonedBatches(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
): Promise<readonly BatchHeader[]> {
  const now = crawl.clock();
  const isAtWork = await generatedByOthers(crawl);
  const found = await crawl.tables.batches.list();
  return found.filter((header) => isAbandoned(crawl.settings, header, now) && !isAtWork(header.batchId));
}

/**
 * Releases the rows of a batch on which no job works.
 * @param slots the slots of the queues; undefined: all slots
 * @returns the number of rows that the batch held
 */
export async function releaseRows(
  crawl: CrawlContext,
  batchId: string,
  slots: Iterable<string> | undefined,
): Promise<number> {
  const { tables, clock } = crawl;
  let count = 0;
  for await (const entries of tables.batches.entries(batchId, slots)) {
    const keys = entries.map(({ rowKey }) => rowKey);
    const released = new Set<string>();
    await tables.changeRows(keys, [], clock(), async (rows) => {
      await checkLeases(crawl);
      return rows.map((row) => {
        if (!row || row.marks?.generate !== batchId) return undefined;
        released.add(row.key);
        return { key: row.key, unset: ['cashInFlight'], marks: { generate: null } };
      });
    });
    await checkLeases(crawl);
    await tables.batches.remove(entries);
    count += released.size;
  }
  return count;
}
