import {
  FRONTIER_FIELDS,
  chunked,
  hostKeyOfRow,
  hostOfKey,
  shardText,
  type FrontierEntry,
  type HostKey,
  type KeyRange,
  type PageRow,
  type Shard,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import type { CrawlContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { makeLostBodiesDue } from './rows/lost-bodies.js';
import { createQueueNames } from './hosts/queue-name.js';
import { enterSeedHosts, holdsSeed } from './hosts/seed-hosts.js';
import { withoutOtherJobs } from './rows/without-other-jobs.js';
import { recountRules } from './rules/count-rules.js';
import { USUAL_WAIT, inSlots, isOwn, partOf, type ShardOptions } from './shards/own-slots.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

type Row = PageRow<(typeof FRONTIER_FIELDS)[number]>;
const CHUNK = 1000;
/** Milliseconds after which shards that begin are those of another repair, and rows are split anew: a week. */
const SPLITS_KEPT = 7 * 86_400_000;

/** What {@link repair} takes. */
export interface RepairOptions extends JobOptions, ShardOptions {}

/** What of the table a repair looks at. */
interface Part {
  /** The rows. */
  readonly ranges: readonly KeyRange[];
  /** The slots of the indexes; absent: all. */
  readonly slots: ReadonlySet<string> | undefined;
  /** Others look at the rest. */
  readonly shard: Shard | undefined;
}

/**
 * Rebuilds the indexes from the rows, which are the truth: enters rows that the frontier or the index of their batch
 * does not name, and hosts that are not noted as injected, and removes entries that no row bears out. Then pages whose
 * body is lost are made due, and what rules have decided is counted anew. Where pages of hosts led stays as it is: no row says it any more, and updatedb
 * never leaves it wrong. It reads the whole table and waits for other jobs on it. After any crash it finds nothing
 * missing; stale entries are in order.
 *
 * In shards each reads the rows of a part of the keys, and the entries of its own slots; what belongs to no slot is left to the one that
 * has the first. Together they do what one does alone, in any order, as long as no other job works on the table.
 * Counters: `COUNTERS.repair`.
 * @throws CrawlError LEASE_HELD, also where another job works on slots of other shards; LEASE_LOST; USAGE for more shards than slots
 */
export function repair(crawl: CrawlContext, options: RepairOptions = {}): Promise<Report> {
  return inSlots(crawl, { job: 'repair' }, options, (own, signal) =>
    repairPart(own, { ...options, ...(signal && { signal }) }),
  );
}

async function repairPart(crawl: CrawlContext, options: RepairOptions): Promise<Report> {
  const tracker = createTracker(crawl, 'repair', options);
  const { splits, slots } = crawl.tables;
  const slotsOfPart = partOf(crawl);
  const shard = slotsOfPart && options.shard;
  if (tracker.aborted) return tracker.report();
  if (shard) await mustBeAmongRepairs(crawl, options.leaseWait ?? USUAL_WAIT, options.signal);
  const ranges = shard
    ? await splits.rangesOf('repair', shard, crawl.clock(), { unusedFor: SPLITS_KEPT })
    : [{ start: '' }];
  const part: Part = { ranges, slots: slotsOfPart, shard };
  const isFirst = isOwn(crawl, slots.all[0]!);
  await withoutOtherJobs(crawl, 'repair', options, async () => {
    await enterRows(crawl, part, tracker);
    await removeStaleOfFrontier(crawl, part, tracker);
    if (isFirst) await removeStaleProgress(crawl, tracker);
    await removeStaleOfBatches(crawl, part, tracker);
    await removeStaleSeedHosts(crawl, part, tracker);
  });
  if (isFirst) tracker.count('stale_rules', await recountRules(crawl, () => tracker.aborted));
  await makeLostBodiesDue(crawl, tracker, ranges);
  return tracker.report();
}

/**
 * Who else works on the table, on slots of other shards, must be at repairing it too: an entry that another job has put, and whose row
 * it has not written yet, looks like one that no row bears out.
 * @throws CrawlError LEASE_HELD
 */
async function mustBeAmongRepairs(
  { tables }: Pick<CrawlContext, 'tables'>,
  wait: number,
  signal?: AbortSignal,
): Promise<void> {
  const found = await tables.leases.untilNone(({ tasks }) => tasks.some(({ job }) => job !== 'repair'), {
    wait,
    ...(signal && { signal }),
  });
  if (!found) return;
  const what = found.tasks.map(({ job }) => job).join(', ');
  throw new CrawlError(
    'LEASE_HELD',
    `expected no other job on the table while it is repaired, found that ${safeText(found.name, 100)} works on it (${safeText(what, 200)})`,
    { hint: 'run the same command again when that has ended' },
  );
}

async function enterRows(crawl: CrawlContext, { ranges, shard }: Part, tracker: Tracker): Promise<void> {
  const { pages, frontier, batches } = crawl.tables;
  // One that another shard has made anew counts only what that has found.
  const headers = (await batches.list()).filter(({ found }) => !shard || !found);
  const known = new Set(headers.map(({ batchId }) => batchId));
  const lost = new Map<string, number>();
  const queueIn = createQueuesOfBatches(crawl);
  for await (const rows of chunked(pages.scan({ fields: FRONTIER_FIELDS, ranges }), CHUNK)) {
    if (tracker.aborted) return;
    const whole = rows.filter((row) => !row.damaged);
    tracker.count('damaged', rows.length - whole.length);
    tracker.count('rows', rows.length);
    for (const { marks } of whole) {
      const id = marks?.generate;
      if (id !== undefined && !known.has(id)) lost.set(id, (lost.get(id) ?? 0) + 1);
    }
    await enterIntoSeedHosts(crawl, whole, tracker);
    tracker.count('missing_frontier', await frontier.enterMissing(whole, crawl.clock()));
    await enterIntoBatches(crawl, whole, queueIn, tracker);
    tracker.done(rows.length);
  }
  for (const [batchId, size] of lost) {
    let isNew = false;
    await batches.change(batchId, (header) => {
      const before = header?.state === 'closed' ? undefined : header;
      isNew = before === undefined;
      if (!shard) return before ? undefined : { state: 'open', size };
      if (before && !before.found) return undefined;
      const found = { ...before?.found, [shardText(shard)]: size };
      return { state: 'open', ...before, found, size: Object.values(found).reduce((sum, n) => sum + n, 0) };
    });
    if (isNew) tracker.count('missing_header');
  }
}

type QueueIn = (batchId: string, host: HostKey) => Promise<string>;

/** The queue in which a batch has a host: a host keeps it, also when its address has changed since. */
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
  tracker: Tracker,
): Promise<void> {
  const held: { rowKey: string; batchId: string; queue: string }[] = [];
  for (const { key: rowKey, marks } of rows) {
    const batchId = marks?.generate;
    if (batchId) held.push({ rowKey, batchId, queue: await queueIn(batchId, hostKeyOfRow(rowKey)) });
  }
  const found = await batches.has(held);
  for (const [i, row] of held.entries()) {
    if (found[i]) continue;
    await batches.enter(row.batchId, [row]);
    tracker.count('missing_batch');
  }
}

async function removeStaleOfFrontier(crawl: CrawlContext, { slots, shard }: Part, tracker: Tracker): Promise<void> {
  const { pages, frontier, isShared, changeRows } = crawl.tables;
  for await (const entries of frontier.entries(slots)) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, FRONTIER_FIELDS);
    const stale = entries.flatMap((entry, i) => {
      const row = rows[i];
      return row && (row.damaged || frontier.isEntryOf(entry, row)) ? [] : [{ entry, row }];
    });
    if (shard && stale.length > 0) await mustBeAmongRepairs(crawl, 0);
    // Another shard may be about to write a row for which it has put an entry: where it can, it decides on the row again.
    const isOfRow = ({ row }: (typeof stale)[number]): boolean => isShared && row !== undefined;
    await frontier.correct(
      stale.filter((each) => !isOfRow(each)),
      crawl.clock(),
    );
    const byRow = new Map<string, FrontierEntry[]>();
    for (const { entry } of stale.filter(isOfRow)) byRow.set(entry.rowKey, [...(byRow.get(entry.rowKey) ?? []), entry]);
    await changeRows([...byRow.keys()], FRONTIER_FIELDS, crawl.clock(), (rows, left, drop) =>
      rows.map((row, i) => {
        for (const entry of byRow.get(left[i]!)!) if (row && !frontier.isEntryOf(entry, row)) drop(entry);
        return undefined;
      }),
    );
    tracker.count('stale_frontier', stale.length);
  }
  tracker.count('stale_frontier', await frontier.removeStaleHeads(slots));
}

/** Forgets how far the work is on batches that are closed, or that nothing is left of. */
async function removeStaleProgress(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { batches } = crawl.tables;
  for (const batchId of await batches.noted()) {
    const state = (await batches.find(batchId))?.state;
    if (state === undefined ? await holdsRows(crawl, batchId) : state !== 'closed') continue;
    await batches.robotsRequests.clear(batchId);
    await batches.forget(batchId);
    tracker.count('stale_progress');
  }
}

/** Whether a batch holds a row that its index names. The header of such a one is made anew by who reads the row. */
async function holdsRows({ tables: { batches, pages } }: CrawlContext, batchId: string): Promise<boolean> {
  for await (const entries of batches.entries(batchId)) {
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, ['marks']);
    if (rows.some((row) => row?.marks?.generate === batchId)) return true;
  }
  return false;
}

async function removeStaleOfBatches(crawl: CrawlContext, { slots, shard }: Part, tracker: Tracker): Promise<void> {
  const { pages, batches } = crawl.tables;
  const list = await batches.list();
  const updating = new Set(list.flatMap(({ batchId, state }) => (state === 'updating' ? [batchId] : [])));
  for await (const entries of batches.allEntries(slots)) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, ['marks']);
    const stale = entries.filter(({ batchId }, i) => {
      const { marks, damaged } = rows[i] ?? {};
      if (damaged || marks?.generate === batchId) return false;
      return !(updating.has(batchId) && marks?.updatedb === batchId);
    });
    if (shard && stale.length > 0) await mustBeAmongRepairs(crawl, 0);
    for (const entry of stale) await batches.remove(entry.batchId, [entry]);
    tracker.count('stale_batch', stale.length);
  }
}

async function enterIntoSeedHosts({ tables }: CrawlContext, rows: readonly Row[], tracker: Tracker): Promise<void> {
  const seeds = rows.filter(({ marks }) => marks?.inject !== undefined);
  const keys = new Map(seeds.map(({ key }) => [hostKeyOfRow(key), key]));
  const found = await tables.hosts.seeds.get([...keys.keys()]);
  const missing = [...keys.values()].filter((_, i) => found[i] === undefined);
  await enterSeedHosts(tables, missing);
  tracker.count('missing_seed_host', missing.length);
}

async function removeStaleSeedHosts({ tables }: CrawlContext, { ranges }: Part, tracker: Tracker): Promise<void> {
  // Keys of hosts and of rows are split alike: each host is in one of the parts.
  for await (const hosts of tables.hosts.seeds.all(ranges)) {
    if (tracker.aborted) return;
    for (const host of hosts) {
      if (await holdsSeed(tables, host)) continue;
      await tables.hosts.seeds.remove(host);
      tracker.count('stale_seed_host');
    }
  }
}
