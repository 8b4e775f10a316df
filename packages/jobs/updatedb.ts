import type { BatchHeader } from '../../webtable/index.js';
import { defined } from '../util/index.js';
import { beginLog } from './changes/batch-log.js';
import type { JobContext, JobRun } from './context.js';
import { chunkSize } from './linking/link-chunks.js';
import { linkRows } from './linking/link-rows.js';
import { createLinker } from './linking/linker.js';
import { releaseRows, type Released } from './linking/release-rows.js';
import type { Report } from './reporting/job.js';
import { createTracker } from './reporting/tracker.js';
import { mustNameBatch, onBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { withoutScope } from './scope/in-scope.js';
import { checkLeases, confirmSlots, hasOthers, partOf, withoutSlots } from './shards/job-slots.js';

/**
 * Closes a batch. First, updatedb adds the links of the fetched pages to their target rows, and creates rows for new targets. Then it plans
 * the next fetch of each row of the batch, and releases the row. Pages that were not fetched stay due.
 *
 * Because of the order of writes, updatedb can be killed and run again. All target rows outside the batch are written before the first row
 * of the batch is released. A row of the batch gets its links and is released in one change. A repeated run collects all links again,
 * including the links of released rows. Each row stores the chunks of the batch whose links it has, so nothing is added twice.
 * `db.updateMaxLinksInMemory` bounds the memory.
 *
 * Links into slots of other workers are put into the inboxes of these slots. On a table with workers, all links are added before the first
 * row is released. The header of the batch notes that. If several workers work on a batch, because it was generated for other shards, each
 * does so for its own slots. The batch is closed when all its slots are released, and the owners of the inboxes have added its links.
 *
 * Counters: `COUNTERS.updatedb`.
 * @throws CrawlError UNKNOWN_BATCH, LEASE_HELD, LEASE_LOST
 */
export async function updatedb(crawl: JobContext, options: BatchOptions): Promise<Report> {
  mustNameBatch(options);
  const job = { job: 'updatedb', watch: crawl.watch };
  return overBatches(withoutScope(crawl), job, options, stepOf({ fetched: 0, notFetched: 0 }));
}

/** Like {@link updatedb}, for a batch of a crawl. The result also has the number of released rows. */
export async function updateAndCount(run: JobRun, options: BatchOptions) {
  const released: Released = { fetched: 0, notFetched: 0 };
  return { report: await onBatch(run, 'updatedb', options, stepOf(released)), released };
}

const stepOf =
  (released: Released) =>
  (crawl: JobRun, batch: BatchHeader, options: BatchOptions): Promise<Report> =>
    crawl.tables.exclusive('updatedb', () => updateBatch(crawl, batch, options, released));

async function updateBatch(
  crawl: JobRun,
  batch: BatchHeader,
  options: BatchOptions,
  released: Released,
): Promise<Report> {
  const { batches, runs } = crawl.tables;
  const { batchId, size } = batch;
  const tracker = createTracker(crawl, 'updatedb', options, { batchId, total: size });
  // Until updatedb begins on a batch, the batch can still be fetched. So if updatedb has to stop, it does not begin.
  if (tracker.aborted) return tracker.report();
  const registered = await runs.consumers();
  const chunk = chunkSize(crawl.settings.db.updateMaxLinksInMemory);
  const header = await batches.change(batchId, (found) =>
    found?.state === 'open'
      ? { size, state: 'updating', chunk, consumers: registered, ...defined({ slots: found.slots }) }
      : undefined,
  );
  // All workers use the consumers that were recorded when the first one began.
  const { consumers = registered, linked = [] } = header ?? {};
  const part = partOf(crawl);
  const isPart = hasOthers(crawl, batch);
  const log = await beginLog(crawl, batchId);
  const linker = createLinker(crawl, batchId, tracker.count);

  await confirmSlots(crawl);
  const toLink = withoutSlots(crawl, linked);
  const left = await linkRows(toLink, batchId, header?.chunk ?? chunk, linker, tracker, log?.failures);
  if (!left) return tracker.report();
  await log?.writeHosts(isPart);
  if (crawl.tables.workers) await noteLinked(toLink, batchId, linker.inboxes);
  const logged = await log?.open();
  if (!(await releaseRows(crawl, batchId, linker, left, consumers, tracker, released, logged))) return tracker.report();
  // The chunks are numbered by the index, so the note comes before the index is removed.
  if (!crawl.tables.workers) await noteLinked(toLink, batchId, linker.inboxes);
  await checkLeases(crawl);
  await batches.clear(batchId, { ofSlots: part });
  await confirmSlots(crawl);
  if (await batches.removeSlots(batchId, part)) await log?.end();
  return tracker.report();
}

/**
 * Notes in the header of a batch that the links of the job's slots are added, and into which inboxes they were put. From then on, updatedb
 * does not add them again.
 */
async function noteLinked(crawl: JobRun, batchId: string, sentTo: ReadonlySet<string>): Promise<void> {
  const slots = partOf(crawl) ?? crawl.tables.slots.all;
  // Links may lead into all slots of the job, also into those that the batch does not have.
  await confirmSlots(crawl, crawl.jobSlots.leases.slots);
  await crawl.tables.batches.change(batchId, (header) => {
    if (header?.state !== 'updating') return undefined;
    const { linked = [], inboxes = [] } = header;
    return {
      ...header,
      linked: [...new Set([...linked, ...slots])],
      ...(sentTo.size > 0 && { inboxes: [...new Set([...inboxes, ...sentTo])].sort() }),
    };
  });
}
