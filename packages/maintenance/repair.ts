import {
  FRONTIER_FIELDS,
  chunked,
  hostKeyOfRow,
  hostOfKey,
  type HostKey,
  type PageRow,
  type CrawlContext,
  type JobContext,
  type JobSlots,
  type JobOptions,
  type Report,
  createQueueNames,
  enterSeedHosts,
  holdsSeed,
  inAllSlots,
  createTracker,
  foldInboxesOf,
  type Tracker,
  isHeld,
  withoutBatch,
  WRONG_TIME_FIELDS,
  hasWrongTime,
  isFetchedInFuture,
  isRecordLost,
} from '../core/index.js';
import { hashOf } from '../util/index.js';
import { withoutOtherJobs } from './without-other-jobs.js';

type Row = PageRow<(typeof FRONTIER_FIELDS)[number]>;
const CHUNK = 1000;

/**
 * Rebuilds the indexes from the rows, because the rows are the source of truth. First, it folds the inboxes. Then it adds missing entries to
 * the frontier, to the indexes of batches, and to the hosts of seeds, releases rows whose mark is void, and removes stale entries. Then it makes two kinds of rows due: rows
 * with times that were written by a clock that was ahead, and pages whose body is lost. It waits until no other job runs on the table, and
 * reads the whole table. After a crash, some entries may be stale, but no entry is missing. Counters: `COUNTERS.repair`.
 * @throws CrawlError LEASE_HELD if another worker uses the table; LEASE_LOST
 */
export function repair(crawl: JobContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'repair', options, (jobSlots, how) => repairAll(crawl, jobSlots, how));
}

async function repairAll(crawl: JobContext, jobSlots: JobSlots, options: JobOptions): Promise<Report> {
  const tracker = createTracker(crawl, 'repair', options);
  if (tracker.aborted) return tracker.report();
  tracker.add(await foldInboxesOf(crawl, jobSlots, tracker), 'fold_');
  await withoutOtherJobs(crawl, async () => {
    await enterRows(crawl, tracker);
    await removeStaleOfFrontier(crawl, tracker);
    await removeStaleOfBatches(crawl, tracker);
    await removeStaleSeedHosts(crawl, tracker);
  });
  await mendTimes(crawl, tracker);
  await makeLostBodiesDue(crawl, tracker);
  return tracker.report();
}

async function enterRows(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { pages, frontier, batches, changeLockedRows } = crawl.tables;
  const known = new Set((await batches.list()).map(({ batchId }) => batchId));
  const lost = new Map<string, number>();
  const queueIn = createQueuesOfBatches(crawl);
  const isIndexed = createIndexedRows(crawl);
  for await (const rows of chunked(pages.scan({ fields: FRONTIER_FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    const whole = rows.filter((row) => !row.damaged);
    tracker.count('damaged', rows.length - whole.length);
    tracker.count('rows', rows.length);
    const released = await batches.voidMarks(whole);
    await changeLockedRows([...released], [], crawl.clock(), (_, keys) => keys.map(withoutBatch));
    tracker.count('void_mark', released.size);
    const left = whole.filter(({ key }) => !released.has(key));
    for (const { marks } of left) {
      const id = marks?.generate;
      if (id !== undefined && !known.has(id)) lost.set(id, (lost.get(id) ?? 0) + 1);
    }
    await enterIntoSeedHosts(crawl, whole, tracker);
    tracker.count('missing_frontier', await frontier.enterMissing(left, crawl.clock()));
    await enterIntoBatches(crawl, left, queueIn, isIndexed, tracker);
    tracker.done(rows.length);
  }
  for (const [batchId, size] of lost) {
    await batches.restore(batchId, size);
    tracker.count('missing_header');
  }
}

type QueueIn = (batchId: string, host: HostKey) => Promise<string>;

/**
 * Returns a function that finds the queue of a host in a batch. The batch stores this queue, because the address of the host may change
 * later.
 */
function createQueuesOfBatches(crawl: CrawlContext): QueueIn {
  const names = createQueueNames(crawl);
  const known = new Map<string, Map<HostKey, string>>();
  return async (batchId, host) => {
    let queues = known.get(batchId);
    if (!queues) {
      queues = new Map<HostKey, string>();
      known.set(batchId, queues);
      for await (const { queue, hosts } of crawl.tables.batches.queues(batchId)) {
        for (const each of hosts) queues.set(each, queue);
      }
    }
    return queues.get(host) ?? names.nameOf(hostOfKey(host));
  };
}

async function enterIntoBatches(
  { tables: { batches } }: CrawlContext,
  rows: readonly Row[],
  queueIn: QueueIn,
  isIndexed: IsIndexed,
  tracker: Tracker,
): Promise<void> {
  for (const { key: rowKey, marks } of rows) {
    const batchId = marks?.generate;
    if (!batchId) continue;
    const queue = await queueIn(batchId, hostKeyOfRow(rowKey));
    if (await isIndexed(batchId, queue, rowKey)) continue;
    await batches.enter(batchId, [{ rowKey, queue }]);
    tracker.count('missing_batch');
  }
}

type IsIndexed = (batchId: string, queue: string, rowKey: string) => Promise<boolean>;

/**
 * Returns a function that tells whether the index of a batch has a row. It reads the indexes once for each host, so call it in the order of
 * row keys. In memory is a number for each row of one host.
 */
function createIndexedRows({ tables: { batches, slots } }: CrawlContext): IsIndexed {
  const known = new Map<string, Set<number>>();
  let host: HostKey | undefined;
  return async (batchId, queue, rowKey) => {
    const name = `${batchId}|${queue}`;
    if (host !== hostKeyOfRow(rowKey)) known.clear();
    host = hostKeyOfRow(rowKey);
    let found = known.get(name);
    if (!found) {
      known.set(name, (found = new Set()));
      const ofQueue = { queue, slot: slots.ofRow(rowKey) };
      for await (const keys of batches.rowKeys(batchId, ofQueue, host)) for (const key of keys) found.add(hashOf(key));
    }
    return found.has(hashOf(rowKey));
  };
}

async function removeStaleOfFrontier(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { pages, frontier, changeLockedRows } = crawl.tables;
  for await (const entries of frontier.entries()) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, FRONTIER_FIELDS);
    const stale = entries.filter((entry, i) => {
      const row = rows[i];
      return !row || !(row.damaged || frontier.isEntryOf(entry, row));
    });
    const staleKeys = [...new Set(stale.map(({ rowKey }) => rowKey))];
    await changeLockedRows(staleKeys, [], crawl.clock(), (found, _, drop) => {
      stale.forEach(drop);
      return found.map(() => undefined);
    });
    tracker.count('stale_frontier', stale.length);
  }
  tracker.count('stale_frontier', await frontier.removeStaleHeads());
}

async function removeStaleOfBatches(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { pages, batches } = crawl.tables;
  const list = await batches.list();
  const updating = new Set(list.flatMap(({ batchId, state }) => (state === 'updating' ? [batchId] : [])));
  for await (const entries of batches.allEntries()) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, ['marks']);
    const stale = entries.filter(({ batchId }, i) => {
      const { marks, damaged } = rows[i] ?? {};
      if (damaged || marks?.generate === batchId) return false;
      return !(updating.has(batchId) && marks?.updatedb === batchId);
    });
    await batches.remove(stale);
    tracker.count('stale_batch', stale.length);
  }
  tracker.count('stale_batch', await batches.removeStaleEntries());
}

async function enterIntoSeedHosts({ tables }: CrawlContext, rows: readonly Row[], tracker: Tracker): Promise<void> {
  const seeds = rows.filter(({ marks }) => marks?.inject !== undefined);
  const keys = new Map(seeds.map(({ key }) => [hostKeyOfRow(key), key]));
  const found = await tables.hosts.seeds.get([...keys.keys()]);
  const missing = [...keys.values()].filter((_, i) => found[i] === undefined);
  await enterSeedHosts(tables, missing);
  tracker.count('missing_seed_host', missing.length);
}

async function removeStaleSeedHosts({ tables }: CrawlContext, tracker: Tracker): Promise<void> {
  for await (const hosts of tables.hosts.seeds.all()) {
    if (tracker.aborted) return;
    for (const host of hosts) {
      if (await holdsSeed(tables, host)) continue;
      await tables.hosts.seeds.remove(host);
      tracker.count('stale_seed_host');
    }
  }
}

const ROWS_PER_READ = 500;

/**
 * Finds rows with times that were written by a clock that was ahead, and makes these rows due. Their next fetch then writes the right
 * times. If a batch holds a row, the row stays as it is, because updatedb computes new times. It reads all rows. Counter: wrong_time.
 */
async function mendTimes(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const now = crawl.clock();
  for await (const found of chunked(crawl.tables.pages.scan({ fields: WRONG_TIME_FIELDS }), ROWS_PER_READ)) {
    if (tracker.aborted) return;
    const keys = found.filter((row) => hasWrongTime(crawl, row, now)).map(({ key }) => key);
    if (keys.length === 0) continue;
    await crawl.tables.changeRows(keys, WRONG_TIME_FIELDS, now, (rows) =>
      rows.map((row) => {
        if (!row || row.damaged || isHeld(row) || !hasWrongTime(crawl, row, now)) return undefined;
        tracker.count('wrong_time');
        return { key: row.key, set: { dueAt: now, ...(isFetchedInFuture(row, now) && { fetchedAt: now }) } };
      }),
    );
  }
}

const LOST_ROWS_PER_READ = 100;

/**
 * Makes pages due whose stored body or text can no longer be read, for example after a power failure. fetch then requests each page without
 * the tag of the lost copy. Two kinds of rows are only counted: rows that a batch holds, and rows without content, because a fetch would
 * give them no new body. It reads every text, and every body if bodies are stored. Counters: lost_body; lost_body_due for pages that were
 * made due.
 */
async function makeLostBodiesDue(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const now = crawl.clock();
  for await (const keys of chunked(rowsWithLostBody(crawl), LOST_ROWS_PER_READ)) {
    if (tracker.aborted) return;
    tracker.count('lost_body', keys.length);
    await crawl.tables.changeRows(keys, ['status', 'protocolStatus'], now, (rows) =>
      rows.map((row) => {
        const isContent = row?.status === 'fetched' || row?.status === 'notmodified';
        if (!row || !isContent || isHeld(row) || (row.dueAt ?? 0) <= now) return undefined;
        tracker.count('lost_body_due');
        return { key: row.key, set: { dueAt: now, ...withoutTag(row) } };
      }),
    );
  }
}

/** Removes the tag and the date of the lost copy. With them, the server would answer that the page has not changed. */
function withoutTag({ protocolStatus }: PageRow<'protocolStatus'>): Pick<PageRow<'protocolStatus'>, 'protocolStatus'> {
  if (!protocolStatus) return {};
  const { etag: _, lastModified: __, ...rest } = protocolStatus;
  return { protocolStatus: rest };
}

async function* rowsWithLostBody({ tables, settings }: CrawlContext): AsyncGenerator<string> {
  const fields = settings.fetcher.storeContent ? (['headers', 'content'] as const) : (['headers'] as const);
  for await (const row of tables.pages.scan<'headers' | 'content'>({ fields })) if (isRecordLost(row)) yield row.key;
}
