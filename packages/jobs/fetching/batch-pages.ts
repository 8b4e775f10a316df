import { hostOfKey, type BatchHeader, type BatchQueue } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { isNoted } from '../shards/own-slots.js';
import { FETCH_FIELDS, type FetchItem } from './fetch-item.js';

/** Row keys that one queue reads ahead. */
const READ_AHEAD = 50;

/**
 * Reads the pages of a batch that are to be fetched from its index, and keeps count of them.
 * @param resume pass over pages that the batch has fetched
 * @param count of pages that are passed over
 */
export function createBatchPages(crawl: CrawlContext, batch: BatchHeader, resume: boolean, count: Count) {
  const { pages, batches } = crawl.tables;
  const { batchId } = batch;
  const queueOfHost = new Map<string, string>();
  const state = {
    /** Keys of rows that join the batch as targets of redirects, from before they get their mark on. */
    joined: new Set<string>(),
    /** Pages that are left to fetch, as far as is known; below 0 where more joined than were counted. */
    left: batch.size,
    /** Rows that the batch holds, of those that were read so far or joined. */
    held: 0,
    /** Some were fetched by a run before this one. */
    sawFetched: false,

    /** Notes that a fetch is under way, which goes on where it was stopped. */
    async begin(): Promise<void> {
      if (batch.fetching) return;
      await batches.advance(batchId, ['open'], (header) => ({ ...header, fetching: true }));
    },

    /** The queues of the batch. @param slots in which they are; undefined: all */
    async *queues(slots?: Iterable<string>): AsyncGenerator<BatchQueue> {
      for await (const found of batches.queues(batchId, slots)) {
        for (const host of found.hosts) queueOfHost.set(hostOfKey(host), found.queue);
        yield found;
      }
    },

    /** The queue of a host that the batch had from its beginning. */
    queueOf: (host: string): string | undefined => queueOfHost.get(host),

    /** The pages of a queue that are to be fetched, read as they are asked for. */
    async *read(queue: BatchQueue): AsyncGenerator<FetchItem> {
      for (let last: string | undefined; ;) {
        const keys = await batches.rowKeys(batchId, queue, last, READ_AHEAD);
        if (keys.length === 0) return;
        last = keys.at(-1);
        for (const row of await pages.getMany(keys, FETCH_FIELDS)) if (row && isToFetch(row)) yield row;
      }
    },

    /**
     * Ends a fetch that was not stopped: no page is left to fetch.
     * @param moved pages that have moved on to another batch
     * @returns whether it holds no row any more, so that it was closed
     */
    async end(moved: number): Promise<boolean> {
      if (isNoted(crawl) && moved === 0) {
        if (await batches.isDone(batchId, 'fetch')) {
          await batches.change(batchId, (header) => {
            if (header?.state !== 'open' || !header.fetching) return undefined;
            const { fetching: _, ...through } = header;
            return through;
          });
        }
        return false;
      }
      const isEmpty = moved > 0 && moved === state.held;
      if (isEmpty) await batches.clear(batchId);
      await batches.advance(batchId, ['open'], ({ fetching: _, size, ...header }) =>
        isEmpty ? { ...header, size, state: 'closed' } : { ...header, size: Math.max(0, size - moved) },
      );
      return isEmpty;
    },
  };
  return state;

  function isToFetch(row: FetchItem): boolean {
    // A redirect's target that joined while its host was being read was handed to the queue already.
    if (state.joined.has(row.key)) return false;
    const isHeld = row.marks?.generate === batchId;
    if (isHeld) state.held += 1;
    const isFetched = resume && row.marks?.fetch === batchId;
    if (isHeld && !row.damaged && !isFetched) return true;
    state.left -= 1;
    if (!isHeld) return false;
    state.sawFetched ||= !row.damaged;
    count(row.damaged ? 'damaged' : 'already_fetched');
    return false;
  }
}
