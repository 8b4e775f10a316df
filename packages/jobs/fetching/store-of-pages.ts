import { createGroupWriter, type PageChange } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { hold } from '../shards/own-slots.js';
import type { SharedFetch } from './shared-fetch.js';

interface Stored {
  readonly change: PageChange;
  readonly batchId: string;
  readonly again: boolean;
  isStored: boolean;
}

/**
 * Stores pages some at a time. Where others may work on the table too, a page is stored only if the batch still holds it, and nobody
 * else has stored it: a worker that was taken for dead has nothing more to say.
 */
export function createStoreOfPages(crawl: CrawlContext): SharedFetch['store'] {
  const { tables, own, clock } = crawl;
  if (!tables.isShared && !own?.isShard) {
    const write = createGroupWriter<PageChange>(tables.pages.write);
    return async (change) => {
      await write(change);
      return true;
    };
  }
  const write = createGroupWriter<Stored>(async (items) => {
    const itemOf = new Map(items.map((item) => [item.change.key, item]));
    await tables.changeRows([...itemOf.keys()], ['fetchedAt'], clock(), async (rows, keys) => {
      await hold(crawl);
      return keys.map((key, i) => {
        const item = itemOf.get(key)!;
        const { marks, fetchedAt, damaged } = rows[i] ?? {};
        const isHeld = damaged !== undefined || marks?.generate === item.batchId;
        const isFetched = !item.again && marks?.fetch === item.batchId;
        // A write that failed, or whose answer was lost, may have stored it.
        item.isStored = isHeld && (!isFetched || fetchedAt === item.change.set?.fetchedAt);
        return item.isStored && !isFetched ? item.change : undefined;
      });
    });
  });
  return async (change, batchId, again) => {
    const item: Stored = { change, batchId, again, isStored: false };
    await write(item);
    return item.isStored;
  };
}
