import { isDeepStrictEqual } from 'node:util';
import { batchTime, type BatchHeader } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import { firstOf, hold, partOf } from '../shards/own-slots.js';

/**
 * Releases the own rows of batches that nobody will go on with: those that a killed or aborted generate left unfinished, and those
 * that are too old. Who has a slot knows that nobody else generates in it.
 * @param joined the batch that this generate goes on with
 */
export async function takeBackAbandoned(
  crawl: CrawlContext,
  joined: string | undefined,
  tracker: Tracker,
): Promise<void> {
  const { tables, settings } = crawl;
  const { batches } = tables;
  const now = crawl.clock();
  const found = (await batches.list()).filter(({ batchId }) => batchId !== joined);
  if (found.length === 0) return;
  const others = (await tables.leases.holders()).filter(({ isOwn, isSilent }) => !isOwn && !isSilent);
  const isAtWork = (batchId: string): boolean =>
    others.some(({ tasks }) => tasks.some((task) => task.job === 'generate' && task.batchId === batchId));
  for (const { batchId } of found) {
    if (isAtWork(batchId)) continue;
    let before: BatchHeader | undefined;
    const seen = await batches.progress(batchId, partOf(crawl));
    await batches.change(batchId, (header) => {
      const isExpired = (batchTime(batchId) ?? 0) + settings.generate.lockExpiry * 1000 <= now;
      // Once updatedb has begun on it, only updatedb may release its rows: links of theirs are added, and would be again.
      const isFree = header?.state === 'generating' || (header?.state === 'open' && isExpired);
      before = isFree ? header : undefined;
      return before?.state === 'open' ? { ...before, state: 'generating' } : undefined;
    });
    if (!before) continue;
    // One that has a size was open, and another generate was killed while it released the rows.
    const wasOpen = before.state === 'open' || before.size > 0;
    const part = partOf(crawl);
    await hold(crawl);
    // Whoever generates it after all has to begin anew. What another worker has noted meanwhile, who has the slot by now, stays.
    if (part) {
      await batches.changeProgress(batchId, part, (now, slot) =>
        isDeepStrictEqual(now, seen.get(slot)) ? {} : undefined,
      );
    }
    tracker.count(wasOpen ? 'expired' : 'taken_back', await releaseRows(crawl, batchId, part));
    await batches.robotsRequests.clear(batchId, part);
    if (part) {
      await hold(crawl);
      await batches.changeProgress(batchId, part, (now) =>
        isDeepStrictEqual(now, {}) ? { takenBack: true } : undefined,
      );
      if (!(await batches.everyProgress(batchId, ({ takenBack }) => takenBack === true, firstOf(part)))) continue;
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
 * Releases the rows of a batch that holds them for nobody.
 * @param slots of their queues; undefined: all
 * @returns how many it held
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
      await hold(crawl);
      return rows.map((row) => {
        if (!row || row.marks?.generate !== batchId) return undefined;
        released.add(row.key);
        return { key: row.key, unset: ['cashInFlight'], marks: { generate: null } };
      });
    });
    await hold(crawl);
    await tables.batches.remove(batchId, entries);
    count += released.size;
  }
  return count;
}
