import { createGroupWriter, type PageChange } from '../../../webtable/index.js';
import { createOneByOne } from '../../util/index.js';
import type { JobRun } from '../context.js';
import { checkLeases, partOf } from '../shards/job-slots.js';
import { lockBatch } from '../rows/lock-batch.js';
import { newBatch } from '../rows/new-batch.js';
import type { FetchedPage } from './fetch-item.js';

export interface LeavingPage extends FetchedPage {
  /** The batch that holds the page. */
  readonly from: string;
}

/**
 * The batch to which fetched pages of several batches move. Updatedb can process these pages while other pages of their batches are still
 * being fetched. The outgoing batch is an ordinary batch of fetched rows, so the next crawl or `updatedb --all` finds it after a kill.
 * Before the batch is closed, no other job may work on it.
 */
export type OutgoingBatch = ReturnType<typeof createOutgoingBatch>;

interface Open {
  readonly batchId: string;
  readonly release: () => void;
  readonly since: number;
  size: number;
}

/** Creates the outgoing batch when the first page moves. */
export function createOutgoingBatch(crawl: JobRun) {
  const { tables } = crawl;
  let current: Open | undefined;
  const oneByOne = createOneByOne();

  async function open(): Promise<Open> {
    for (;;) {
      const batchId = await newBatch(crawl, { state: 'open' }, partOf(crawl));
      const release = await lockBatch(crawl, batchId);
      let isOpen = false;
      try {
        // Before the batch was locked, updatedb may have closed it, because it is still empty.
        isOpen = (await tables.batches.find(batchId))?.state === 'open';
        if (isOpen) return { batchId, release, since: performance.now(), size: 0 };
      } finally {
        if (!isOpen) release();
      }
    }
  }

  /**
   * Moves pages. Order of writes: the index of the outgoing batch, then the rows. After that, the old batch still has index entries of
   * these rows; they are stale.
   */
  async function moveAll(pages: readonly Leaving[]): Promise<void> {
    const to = (current ??= await open());
    const leavingOf = new Map(pages.map((leaving) => [leaving.page.change.key, leaving]));
    await tables.changeRows([...leavingOf.keys()], [], crawl.clock(), async (rows, keys) => {
      await checkLeases(crawl);
      const moved: { rowKey: string; queue: string }[] = [];
      const changes = keys.map((key, i): PageChange | undefined => {
        const leaving = leavingOf.get(key)!;
        const { change, from, isParsed, queue } = leaving.page;
        // An earlier attempt may have moved the page, even if it ended with an error.
        const holder = rows[i]?.marks?.generate;
        leaving.isMoved = holder === from || holder === to.batchId;
        if (leaving.isMoved) moved.push({ rowKey: change.key, queue });
        const batchId = leaving.isMoved ? to.batchId : from;
        const generate = leaving.isMoved ? { generate: batchId } : {};
        return { ...change, marks: { fetch: batchId, parse: isParsed ? batchId : null, ...generate } };
      });
      // A put of a former owner may arrive late. A group would then give rows other places in the order of the batch, and so their links
      // other chunks. A single row has one place.
      await tables.batches.enter(to.batchId, moved, tables.workers ? 1 : undefined);
      return changes;
    });
    to.size += pages.filter(({ isMoved }) => isMoved).length;
  }

  const write = createGroupWriter<Leaving>((pages) => oneByOne(() => moveAll(pages)));

  return {
    /** Number of pages in the batch. */
    get size() {
      return current?.size ?? 0;
    },
    /** The time when the batch received its first page, by `performance.now`. Infinity if the batch is empty. */
    get since() {
      return current?.since ?? Infinity;
    },
    /**
     * Stores a page with its marks, and moves it to this batch in the same row change.
     * @returns false if the page was not moved, because its old batch no longer held it. The page is stored then too.
     */
    async move(page: LeavingPage): Promise<boolean> {
      const leaving: Leaving = { page, isMoved: false };
      await write(leaving);
      return leaving.isMoved;
    },
    /**
     * Closes the batch, so that updatedb can process it. The next page opens another batch.
     * @returns the id of the closed batch; undefined if no page has moved to it
     */
    async close(): Promise<string | undefined> {
      const closing = current;
      current = undefined;
      if (!closing) return undefined;
      const { batchId, release } = closing;
      try {
        await oneByOne(() =>
          tables.batches.advance(batchId, ['open'], (header) => ({ ...header, size: closing.size })),
        );
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
