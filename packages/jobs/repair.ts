import {
  allBatchEntries,
  allEntries,
  batchEntry,
  batchQueues,
  chunked,
  enterMissing,
  hasBatchEntries,
  isEntryOf,
  listBatches,
  putBatch,
  queueEntry,
  refile,
  removeEntries,
  removeStaleHeads,
  reversedHostOf,
  urlOf,
  writeBatchIndex,
  FRONTIER_FIELDS,
  type PageRow,
} from '../../webtable/index.js';
import { hostOf } from '../url/index.js';
import { frontierClock, type CrawlContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { makeLostBodiesDue } from './rows/lost-bodies.js';
import { createQueueNames } from './hosts/queue-name.js';
import { allSeedHosts, enterSeedHosts, hasSeedHosts, holdsSeed, removeSeedHost } from './hosts/seed-hosts.js';
import { withoutOtherJobs } from './rows/without-other-jobs.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

type Row = PageRow<(typeof FRONTIER_FIELDS)[number]>;
const CHUNK = 1000;

/**
 * Rebuilds the indexes from the rows, which are the truth: enters rows that the frontier or the index of their batch
 * does not name, and hosts that are not noted as injected, and removes entries that no row bears out. Then pages whose
 * body is lost are made due. It reads the whole table and waits for other jobs on it. After any crash it finds nothing
 * missing; stale entries are in order.
 * Counters: rows, missing_frontier, missing_batch, missing_header, missing_seed_host, stale_frontier, stale_batch,
 * stale_seed_host, damaged; lost_body (after a power failure), and of these lost_body_due (made due now).
 */
export async function repair(crawl: CrawlContext, options: JobOptions = {}): Promise<Report> {
  const tracker = createTracker(crawl, 'repair', options);
  await withoutOtherJobs(crawl.table, async () => {
    await enterRows(crawl, tracker);
    await removeStale(crawl, tracker);
    await removeStaleSeedHosts(crawl, tracker);
    await makeLostBodiesDue(crawl, tracker);
  });
  return tracker.report();
}

async function enterRows(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { table } = crawl;
  const headers = new Set((await listBatches(table.store)).map((batch) => batch.batchId));
  const lost = new Map<string, number>();
  const hostsOf = batchHosts(crawl);
  for await (const rows of chunked(table.scan({ fields: [...FRONTIER_FIELDS] }), CHUNK)) {
    if (tracker.aborted) return;
    const whole = rows.filter((row) => !row.damaged);
    tracker.count('damaged', rows.length - whole.length);
    tracker.count('rows', rows.length);
    for (const { marks } of whole) {
      const id = marks?.generate;
      if (id !== undefined && !headers.has(id)) lost.set(id, (lost.get(id) ?? 0) + 1);
    }
    await enterIntoSeedHosts(crawl, whole, tracker);
    tracker.count('missing_frontier', await enterMissing(crawl.table, whole, frontierClock(crawl)));
    await enterIntoBatches(crawl, whole, hostsOf, tracker);
    tracker.done(rows.length);
  }
  for (const [batchId, size] of lost) {
    await putBatch(table.store, { batchId, state: 'open', size });
    tracker.count('missing_header');
  }
}

type HostsOf = (batchId: string) => Promise<Set<string>>;

/** Which hosts the queues of a batch name: read once, when first asked for. */
function batchHosts(crawl: CrawlContext): HostsOf {
  const known = new Map<string, Set<string>>();
  return async (batchId) => {
    let hosts = known.get(batchId);
    if (!hosts) {
      hosts = new Set();
      for await (const queue of batchQueues(crawl.table.store, batchId))
        for (const host of queue.hosts) hosts.add(host);
      known.set(batchId, hosts);
    }
    return hosts;
  };
}

async function enterIntoBatches(
  crawl: CrawlContext,
  rows: readonly Row[],
  hostsOf: HostsOf,
  tracker: Tracker,
): Promise<void> {
  const held = rows.flatMap(({ key, marks }) => (marks?.generate ? { rowKey: key, batchId: marks.generate } : []));
  const found = await hasBatchEntries(crawl.table.store, held);
  const queues = createQueueNames(crawl);
  for (const [i, { rowKey, batchId }] of held.entries()) {
    const host = hostOf(urlOf(rowKey));
    const hosts = await hostsOf(batchId);
    if (found[i] && hosts.has(host)) continue;
    tracker.count('missing_batch');
    if (!hosts.has(host)) {
      await writeBatchIndex(crawl.table.store, [queueEntry(batchId, await queues.nameOf(host), host)]);
      hosts.add(host);
    }
    await writeBatchIndex(crawl.table.store, [batchEntry(batchId, rowKey)]);
  }
}

async function removeStale(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { table } = crawl;
  const clock = frontierClock(crawl);
  for await (const entries of chunked(allEntries(table.store), CHUNK)) {
    if (tracker.aborted) return;
    const rows = await table.getMany(
      entries.map((entry) => entry.rowKey),
      FRONTIER_FIELDS,
    );
    const stale = entries.flatMap((entry, i) => {
      const row = rows[i];
      return row && (row.damaged || isEntryOf(entry, row, clock.lockExpiry)) ? [] : [{ entry, row }];
    });
    await refile(table, stale, clock);
    tracker.count('stale_frontier', stale.length);
  }
  tracker.count('stale_frontier', await removeStaleHeads(table.store));
  // An updatedb that goes on counts by the place of entries, stale ones too, and clears them all at its end.
  const linking = new Set<string>();
  for (const { batchId, state } of await listBatches(table.store)) if (state === 'linking') linking.add(batchId);
  for await (const entries of chunked(allBatchEntries(table.store), CHUNK)) {
    if (tracker.aborted) return;
    const rows = await table.getMany(
      entries.map((entry) => entry.rowKey),
      ['marks'],
    );
    for (const [i, { batchId, rowKey }] of entries.entries()) {
      if (linking.has(batchId) || rows[i]?.damaged || rows[i]?.marks?.generate === batchId) continue;
      await removeEntries(table.store, batchId, [rowKey]);
      tracker.count('stale_batch');
    }
  }
}

async function enterIntoSeedHosts({ table }: CrawlContext, rows: readonly Row[], tracker: Tracker): Promise<void> {
  const seeds = rows.filter(({ marks }) => marks?.inject !== undefined);
  const keys = [...new Map(seeds.map(({ key }) => [reversedHostOf(key), key])).values()];
  const found = await hasSeedHosts(table.store, keys.map(reversedHostOf));
  const missing = keys.filter((_, i) => !found[i]);
  await enterSeedHosts(table.store, missing);
  tracker.count('missing_seed_host', missing.length);
}

async function removeStaleSeedHosts({ table }: CrawlContext, tracker: Tracker): Promise<void> {
  for await (const host of allSeedHosts(table.store)) {
    if (tracker.aborted) return;
    if (await holdsSeed(table, host)) continue;
    await removeSeedHost(table.store, host);
    tracker.count('stale_seed_host');
  }
}
