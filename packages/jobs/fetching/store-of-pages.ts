import { createGroupWriter, type PageChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import { checkLeases } from '../shards/job-slots.js';
import type { SharedFetch } from './shared-fetch.js';

interface Stored {
  readonly change: PageChange;
  readonly batchId: string;
  isStored: boolean;
}

/**
 * Stores pages in groups. If other workers may use the table too, a page is stored under two conditions: the batch still holds the page,
 * and no other worker has stored it. Therefore a worker that has lost its leases changes nothing.
 */
export function createStoreOfPages(crawl: JobRun): SharedFetch['store'] {
  const { tables, clock } = crawl;
  if (!tables.isShared) {
    const write = createGroupWriter<PageChange>(tables.pages.write);
    return async (change) => {
      await write(change);
      return true;
    };
  }
  const write = createGroupWriter<Stored>(async (items) => {
    const itemOf = new Map(items.map((item) => [item.change.key, item]));
    await tables.changeRows([...itemOf.keys()], ['fetchedAt'], clock(), async (rows, keys) => {
      await checkLeases(crawl);
      return keys.map((key, i) => {
        const item = itemOf.get(key)!;
        const { marks, fetchedAt, damaged } = rows[i] ?? {};
        const isHeld = damaged !== undefined || marks?.generate === item.batchId;
        const isFetched = marks?.fetch === item.batchId;
        // The page may be stored by an earlier attempt of this call, even if that attempt ended with an error.
        item.isStored = isHeld && (!isFetched || fetchedAt === item.change.set?.fetchedAt);
        return item.isStored && !isFetched ? item.change : undefined;
      });
    });
  });
  return async (change, batchId) => {
    const item: Stored = { change, batchId, isStored: false };
    await write(item);
    return item.isStored;
  };
}
