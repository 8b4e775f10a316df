import {
  FRONTIER_FIELDS,
  batchEntry,
  createGroupWriter,
  putBatch,
  queueEntry,
  urlOf,
  writeBatchIndex,
  writeIndexed,
  type IndexedChange,
  type RowChange,
} from '../../../webtable/index.js';
import { hostOf } from '../../url/index.js';
import { frontierClock, type CrawlContext } from '../context.js';
import { holdBatch } from '../rows/hold-batch.js';
import { newBatchId } from '../rows/new-batch-id.js';
import type { FetchedPage } from './fetch-item.js';

/** A page on its way out of the batch that selected it. */
export interface LeavingPage extends FetchedPage {
  /** The batch that holds it. */
  readonly from: string;
}

/**
 * Where the pages of several batches move on to when they are fetched, so that updatedb can take them while the rest of
 * their batches is being fetched. It is an ordinary batch of rows that are fetched: after a kill the next crawl or
 * `updatedb --all` finds it. Nobody else may work on it before it is closed.
 */
export interface OutgoingBatch {
  /** Pages in it. */
  readonly size: number;
  /** When it got its first page, by `performance.now`; Infinity while it has none. */
  readonly since: number;
  /**
   * Stores a page with its marks, in the change that moves it here.
   * @returns false where its batch did not hold it any more, so that it was stored and not moved
   */
  move(page: LeavingPage): Promise<boolean>;
  /**
   * Closes it for updatedb; the next page opens another.
   * @returns its id; undefined where it has no page
   */
  close(): Promise<string | undefined>;
}

interface Open {
  readonly batchId: string;
  readonly release: () => void;
  readonly since: number;
  /** Hosts that its index names. */
  readonly hosts: Set<string>;
  size: number;
}

/** Starts with none; a batch is made for the first page. */
export function createOutgoingBatch(crawl: CrawlContext): OutgoingBatch {
  const { table } = crawl;
  let current: Open | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function open(): Promise<Open> {
    const batchId = await newBatchId(crawl);
    const release = await holdBatch(crawl, batchId);
    try {
      await putBatch(table.store, { batchId, state: 'open', size: 0 });
    } catch (error) {
      release();
      throw error;
    }
    return { batchId, release, since: performance.now(), hosts: new Set(), size: 0 };
  }

  /** Order of writes: the index of the batch, then the rows. What the index of the batch before names is stale then. */
  async function moveAll(pages: readonly Leaving[]): Promise<void> {
    const to = (current ??= await open());
    await table.exclusive('rows', async () => {
      const rows = await table.getMany(
        pages.map(({ page }) => page.change.key),
        FRONTIER_FIELDS,
      );
      const queues = new Map<string, RowChange>();
      const entries: RowChange[] = [];
      const changes: IndexedChange[] = [];
      for (const [i, { page }] of pages.entries()) {
        const { change, from, isParsed, queue } = page;
        const before = rows[i];
        const isHeld = before?.marks?.generate === from;
        const batchId = isHeld ? to.batchId : from;
        const marks = { fetch: batchId, parse: isParsed ? batchId : null, ...(isHeld && { generate: batchId }) };
        changes.push({ before, change: { ...change, marks } });
        pages[i]!.isMoved = isHeld;
        if (!isHeld) continue;
        const host = hostOf(urlOf(change.key));
        if (!to.hosts.has(host)) queues.set(host, queueEntry(batchId, queue, host));
        entries.push(batchEntry(batchId, change.key));
      }
      await writeBatchIndex(table.store, [...queues.values(), ...entries]);
      for (const host of queues.keys()) to.hosts.add(host);
      await writeIndexed(table, changes, frontierClock(crawl));
      to.size += entries.length;
    });
  }

  const write = createGroupWriter<Leaving>((pages) => {
    const written = moveAll(pages);
    lastWrite = written.catch(() => undefined);
    return written;
  });

  return {
    get size() {
      return current?.size ?? 0;
    },
    get since() {
      return current?.since ?? Infinity;
    },
    async move(page) {
      const leaving: Leaving = { page, isMoved: false };
      await write(leaving);
      return leaving.isMoved;
    },
    async close() {
      const closing = current;
      current = undefined;
      if (!closing) return undefined;
      const { batchId, release } = closing;
      try {
        await lastWrite;
        await putBatch(table.store, { batchId, state: 'open', size: closing.size });
      } finally {
        release();
      }
      return batchId;
    },
  };
}

interface Leaving {
  readonly page: LeavingPage;
  isMoved: boolean;
}
