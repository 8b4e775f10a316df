import {
  FRONTIER_FIELDS,
  batchEntry,
  hostRowKeys,
  queueEntry,
  writeBatchIndex,
  writeIndexed,
  type RowChange,
  type Store,
} from '../../webtable/index.js';
import { frontierClock, type CrawlContext } from './context.js';

/** Rows that are moved in one step. */
const STEP = 200;

/**
 * Enters what the index of a batch names for some hosts into that of another.
 * @param queues by name, with their hosts
 * @returns how many rows these are
 */
export async function copyBatchIndex(
  store: Store,
  queues: ReadonlyMap<string, { readonly hosts: ReadonlySet<string> }>,
  from: string,
  to: string,
): Promise<number> {
  let size = 0;
  let index: RowChange[] = [];
  for (const [queue, { hosts }] of queues) {
    for (const host of hosts) {
      index.push(queueEntry(to, queue, host));
      for await (const keys of hostKeys(store, from, host)) {
        size += keys.length;
        index.push(...keys.map((key) => batchEntry(to, key)));
        if (index.length < 5 * STEP) continue;
        await writeBatchIndex(store, index);
        index = [];
      }
    }
  }
  await writeBatchIndex(store, index);
  return size;
}

/**
 * Moves the rows of some hosts that a batch has not fetched to another, whose index names them already.
 * @returns how many were moved
 */
export async function moveMarks(
  crawl: CrawlContext,
  hosts: readonly string[],
  from: string,
  to: string,
): Promise<number> {
  const { table } = crawl;
  let moved = 0;
  for (const host of hosts) {
    for await (const keys of hostKeys(table.store, from, host)) {
      await table.exclusive('rows', async () => {
        const rows = await table.getMany(keys, FRONTIER_FIELDS);
        const changes = rows.flatMap((row) =>
          row && !row.damaged && row.marks?.generate === from && row.marks.fetch !== from
            ? { before: row, change: { key: row.key, marks: { generate: to } } }
            : [],
        );
        await writeIndexed(table, changes, frontierClock(crawl));
        moved += changes.length;
      });
    }
  }
  return moved;
}

async function* hostKeys(store: Store, batchId: string, host: string): AsyncGenerator<string[]> {
  for (let after: string | undefined; ;) {
    const keys = await hostRowKeys(store, batchId, host, after, STEP);
    if (keys.length === 0) return;
    after = keys.at(-1);
    yield keys;
  }
}
