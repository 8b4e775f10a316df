import { createGroupWriter, type PageChange } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { holdBatch } from '../rows/hold-batch.js';
import { newBatch } from '../rows/new-batch.js';
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
  size: number;
}

/** Starts with none; a batch is made for the first page. */
export function createOutgoingBatch(crawl: CrawlContext): OutgoingBatch {
  const { tables } = crawl;
  let current: Open | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function open(): Promise<Open> {
    const batchId = await newBatch(crawl, { state: 'open' });
    const release = await holdBatch(crawl, batchId);
    return { batchId, release, since: performance.now(), size: 0 };
  }

  /** Order of writes: the index of the batch, then the rows. What the index of the batch before names is stale then. */
  async function moveAll(pages: readonly Leaving[]): Promise<void> {
    const to = (current ??= await open());
    const leavingOf = new Map(pages.map((leaving) => [leaving.page.change.key, leaving]));
    await tables.changeRows([...leavingOf.keys()], [], crawl.clock(), async (rows, keys) => {
      const moved: { rowKey: string; queue: string }[] = [];
      const changes = keys.map((key, i): PageChange => {
        const leaving = leavingOf.get(key)!;
        const { change, from, isParsed, queue } = leaving.page;
        // A write that failed may have moved it already.
        const holder = rows[i]?.marks?.generate;
        leaving.isMoved = holder === from || holder === to.batchId;
        if (leaving.isMoved) moved.push({ rowKey: change.key, queue });
        const batchId = leaving.isMoved ? to.batchId : from;
        const generate = leaving.isMoved ? { generate: batchId } : {};
        return { ...change, marks: { fetch: batchId, parse: isParsed ? batchId : null, ...generate } };
      });
      await tables.batches.enter(to.batchId, moved);
      return changes;
    });
    to.size += pages.filter(({ isMoved }) => isMoved).length;
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
        await tables.batches.advance(batchId, ['open'], (header) => ({ ...header, size: closing.size }));
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
