import {
  FRONTIER_FIELDS,
  batchEntry,
  batchRowKeys,
  chunked,
  hostRowKeys,
  queueEntry,
  writeBatchIndex,
  writeIndexed,
  type Store,
} from '../../../webtable/index.js';
import { frontierClock, type CrawlContext } from '../context.js';

/** Rows that are moved in one step. */
const STEP = 200;
/** Hosts whose part of the index is read together. */
const TOGETHER = 16;

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
  const hosts = [...queues].flatMap(([queue, { hosts }]) => [...hosts].map((host) => ({ queue, host })));
  let size = 0;
  for (let i = 0; i < hosts.length; i += TOGETHER) {
    const some = hosts.slice(i, i + TOGETHER);
    const firsts = await Promise.all(some.map(({ host }) => hostRowKeys(store, from, host, undefined, STEP)));
    const keys = firsts.flat();
    const index = some.map(({ queue, host }) => queueEntry(to, queue, host));
    await writeBatchIndex(store, [...index, ...keys.map((key) => batchEntry(to, key))]);
    size += keys.length;
    for (const [at, { host }] of some.entries()) size += await copyRest(store, host, firsts[at]!, from, to);
  }
  return size;
}

/** What comes after the first rows of a host, where these are not all. */
async function copyRest(store: Store, host: string, first: readonly string[], from: string, to: string) {
  let size = 0;
  for (let last = first; last.length === STEP;) {
    last = await hostRowKeys(store, from, host, last.at(-1), STEP);
    await writeBatchIndex(
      store,
      last.map((key) => batchEntry(to, key)),
    );
    size += last.length;
  }
  return size;
}

/**
 * Moves the rows that the index of a batch names, and that another holds and has not fetched, to that batch.
 * @returns how many were moved
 */
export async function moveMarks(crawl: CrawlContext, from: string, to: string): Promise<number> {
  const { table } = crawl;
  let moved = 0;
  for await (const keys of chunked(batchRowKeys(table.store, to), STEP)) {
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
  return moved;
}
