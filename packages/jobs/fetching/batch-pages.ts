import { hostOfKey, type BatchHeader, type BatchQueue } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { partOf } from '../shards/job-slots.js';
import { FETCH_FIELDS, type FetchItem } from './fetch-item.js';

/**
 * Reads the unfetched pages of a batch from the index of the batch, and counts the pages.
 * @param count counts skipped pages
 */
export function createBatchPages(crawl: JobRun, batch: BatchHeader, count: Count) {
  const { pages, batches } = crawl.tables;
  const { batchId } = batch;
  const queueOfHost = new Map<string, string>();
  const state = {
    /** Row keys of redirect targets that join the batch. A key is added before the row gets the generate mark. */
    joined: new Set<string>(),
    /** Approximate number of pages left to fetch. It may fall below 0, because joined redirect targets are not part of `batch.size`. */
    left: batch.size,
    /** Number of rows that were read or joined so far, and that this batch holds. */
    held: 0,
    /** Whether an earlier run has fetched some pages. */
    sawFetched: false,

    /** Yields the queues of the batch in the slots of the job. */
    async *queues(): AsyncGenerator<BatchQueue> {
      for await (const found of batches.queues(batchId, partOf(crawl))) {
        for (const host of found.hosts) queueOfHost.set(hostOfKey(host), found.queue);
        yield found;
      }
    },

    /** Returns the queue of a host, as generate stored it in the batch. */
    queueOf: (host: string): string | undefined => queueOfHost.get(host),

    /** Yields the unfetched pages of a queue. Rows are read on demand. */
    async *read(queue: BatchQueue): AsyncGenerator<FetchItem> {
      for await (const keys of batches.rowKeys(batchId, queue)) {
        for (const row of await pages.getMany(keys, FETCH_FIELDS)) if (row && isToFetch(row)) yield row;
      }
    },

    /**
     * Ends a fetch that ran until no page was left.
     * @param moved number of pages that moved to another batch
     * @returns true if the batch holds no row any more in the slots of the job
     */
    async end(moved: number): Promise<boolean> {
      if (moved === 0) return false;
      const isEmpty = moved === state.held;
      if (isEmpty) {
        await batches.clear(batchId, { ofSlots: partOf(crawl) });
        await batches.removeSlots(batchId, partOf(crawl));
      } else {
        await batches.change(batchId, (header) => header && { ...header, size: Math.max(0, header.size - moved) });
      }
      return isEmpty;
    },
  };
  return state;

  function isToFetch(row: FetchItem): boolean {
    // A redirect target may have joined while the rows of its host were being read. Then it is already in the queue.
    if (state.joined.has(row.key)) return false;
    const isHeld = row.marks?.generate === batchId;
    if (isHeld) state.held += 1;
    const isFetched = row.marks?.fetch === batchId;
    if (isHeld && !row.damaged && !isFetched) return true;
    state.left -= 1;
    if (!isHeld) return false;
    state.sawFetched ||= !row.damaged;
    count(row.damaged ? 'damaged' : 'already_fetched');
    return false;
  }
}
