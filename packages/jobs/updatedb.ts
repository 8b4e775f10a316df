import type { BatchHeader, LeaseHolderInfo } from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { beginLog } from './changes/batch-log.js';
import type { CrawlContext } from './context.js';
import { linkRows } from './linking/link-rows.js';
import { createLinker } from './linking/linker.js';
import { releaseRows, type Released } from './linking/release-rows.js';
import type { Report } from './reporting/job.js';
import { createTracker } from './reporting/tracker.js';
import { batchTask, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { storeProgress } from './shards/store-progress.js';
import { USUAL_WAIT, checkLeases, inSlots, isProgressStored, shardSlots } from './shards/job-slots.js';

/**
 * Closes a batch. First, updatedb adds the links of the fetched pages to their target rows, and creates rows for new targets. Then it plans
 * the next fetch of each row of the batch, and releases the row. Pages that were not fetched stay due.
 *
 * Because of the order of writes, updatedb can be killed and run again. All target rows outside the batch are written before the first row
 * of the batch is released. A row of the batch gets its links and is released in one change. A repeated run collects all links again,
 * including the links of released rows. Each row stores the last source whose links it has, so nothing is added twice.
 * `db.updateMaxLinksInMemory` bounds the memory.
 *
 * In shards, each worker adds the links of the pages in its own slots. The target rows may be in any slot. Rows are released only when the
 * links of all slots are added, and the last worker closes the batch. Run all shards again until {@link Batches.isDone} is true.
 *
 * Counters: `COUNTERS.updatedb`.
 * @throws CrawlError UNKNOWN_BATCH, LEASE_HELD, LEASE_LOST
 */
export async function updatedb(crawl: CrawlContext, options: BatchOptions): Promise<Report> {
  return (await updateAndCount(crawl, options)).report;
}

interface Update {
  readonly report: Report;
  readonly released: Readonly<Released>;
}

/** Like {@link updatedb}, but the result also has the number of released rows. */
export async function updateAndCount(given: CrawlContext, options: BatchOptions): Promise<Update> {
  mustNameBatch(options);
  const released: Released = { fetched: 0, notFetched: 0 };
  const report = await inSlots(given, batchTask('updatedb', options), options, (crawl, signal) => {
    const how = { ...options, ...(signal && { signal }) };
    return overBatches(crawl, 'updatedb', how, (batch) =>
      crawl.tables.exclusive('updatedb', () => updateBatch(crawl, batch, how, released)),
    );
  });
  return { report, released };
}

async function updateBatch(
  crawl: CrawlContext,
  batch: BatchHeader,
  options: BatchOptions,
  released: Released,
): Promise<Report> {
  const { batches, runs, slots } = crawl.tables;
  const { batchId, size } = batch;
  const ofShard = shardSlots(crawl);
  const tracker = createTracker(crawl, 'updatedb', options, { batchId, total: size });
  // Until updatedb begins on a batch, the batch can still be fetched. So if updatedb has to stop, it does not begin.
  if (tracker.aborted) return tracker.report();
  if (batch.state === 'open') await whenNobodyFetches(crawl, batchId, options);
  let consumers = batch.consumers ?? (await runs.consumers());
  const header = await batches.change(batchId, (found) =>
    found?.state === 'open' ? { size, state: 'updating', consumers } : undefined,
  );
  // All shards use the consumers that were recorded when the first shard began.
  consumers = header?.consumers ?? consumers;
  // Another shard was the last and has already closed the batch.
  if (header?.state !== 'updating') {
    tracker.count('batch_closed');
    return tracker.report();
  }
  // No new fetch of this batch can begin now. An earlier fetch may still run, or may have been killed.
  if (!header.isLeft) {
    await whenNobodyFetches(crawl, batchId, options);
    if (tracker.aborted) return tracker.report();
    // With this record, the other shards need not check again.
    if (ofShard)
      await batches.change(batchId, (found) => (found?.state === 'updating' ? { ...found, isLeft: true } : undefined));
  }
  const log = await beginLog(crawl, batchId);
  const openIds = new Set((await batches.list()).map(({ batchId: openId }) => openId));
  const linker = createLinker(crawl, batchId, openIds, tracker);

  const own = crawl.jobSlots?.slots ?? new Set(slots.all);
  const progress = await batches.progress(batchId, ofShard);
  const toLink = [...own].filter((slot) => !progress.get(slot)?.linked);
  // In shards, rows are released only after all shards have added their links. So all links are added here, and no links are left for the
  // release.
  const left = await linkRows(crawl, batchId, linker, tracker, toLink, ofShard === undefined, log?.failures);
  if (!left) return tracker.report();
  await log?.writeHosts(ofShard !== undefined);
  if (ofShard && !(await storeProgress(crawl, batchId, ofShard, 'linked'))) return tracker.report();
  const logged = await log?.open();
  if (!(await releaseRows(crawl, batchId, linker, left, consumers, tracker, released, logged))) return tracker.report();
  await checkLeases(crawl);
  // Each shard removes the entries of its own slots. The entries of all slots would be too many for the last shard.
  await batches.clear(batchId, { ofSlots: ofShard });
  if (ofShard && !(await storeProgress(crawl, batchId, ofShard, 'released'))) return tracker.report();

  await checkLeases(crawl);
  // Another shard may have closed the batch already.
  await batches.change(batchId, (header) => {
    if (header?.state !== 'updating') return undefined;
    return consumers.length > 0 ? { size, state: 'updated', consumers } : { size, state: 'closed' };
  });
  await log?.end();
  if ((isProgressStored(crawl) || progress.size > 0) && consumers.length === 0) await batches.forget(batchId);
  return tracker.report();
}

/**
 * Waits until no other worker fetches or parses a batch.
 * @throws CrawlError LEASE_HELD if another worker still does so after the wait
 */
async function whenNobodyFetches(crawl: CrawlContext, batchId: string, options: BatchOptions): Promise<void> {
  const { leaseWait = USUAL_WAIT, signal } = options;
  if (signal?.aborted) return;
  const isInTheWay = ({ tasks }: LeaseHolderInfo): boolean =>
    tasks.some((task) => (task.job === 'fetch' || task.job === 'parse') && (task.batchId ?? batchId) === batchId);
  const found = await crawl.tables.leases.untilNone(isInTheWay, { wait: leaseWait, ...(signal && { signal }) });
  if (!found) return;
  throw new CrawlError('LEASE_HELD', `batch ${batchId} is being fetched or parsed by ${safeText(found.name, 100)}`, {
    hint: 'run the same command again when that worker has ended',
  });
}
