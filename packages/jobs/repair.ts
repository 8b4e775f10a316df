import { FRONTIER_FIELDS, chunked, hostKeyOfRow, hostOfKey, type HostKey, type PageRow } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { makeLostBodiesDue } from './rows/lost-bodies.js';
import { createQueueNames } from './hosts/queue-name.js';
import { enterSeedHosts, holdsSeed } from './hosts/seed-hosts.js';
import { withoutOtherJobs } from './rows/without-other-jobs.js';
import { recountRules } from './rules/count-rules.js';
import { inAllSlots } from './shards/own-slots.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

type Row = PageRow<(typeof FRONTIER_FIELDS)[number]>;
const CHUNK = 1000;

/**
 * Rebuilds the indexes from the rows, which are the truth: enters rows that the frontier or the index of their batch
 * does not name, and hosts that are not noted as injected, and removes entries that no row bears out. Then pages whose
 * body is lost are made due, and what rules have decided is counted anew. It reads the whole table and waits for other jobs on it. After any crash it finds nothing
 * missing; stale entries are in order.
 * Counters: `COUNTERS.repair`.
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
export function repair(crawl: CrawlContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'repair', options, repairIndexes);
}

async function repairIndexes(crawl: CrawlContext, options: JobOptions): Promise<Report> {
  const tracker = createTracker(crawl, 'repair', options);
  await withoutOtherJobs(crawl, 'repair', options, async () => {
    await enterRows(crawl, tracker);
    await removeStale(crawl, tracker);
    await removeStaleSeedHosts(crawl, tracker);
  });
  tracker.count('stale_rules', await recountRules(crawl, () => tracker.aborted));
  await makeLostBodiesDue(crawl, tracker);
  return tracker.report();
}

async function enterRows(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { pages, frontier, batches } = crawl.tables;
  const headers = new Set((await batches.list()).map((batch) => batch.batchId));
  const lost = new Map<string, number>();
  const queueIn = createQueuesOfBatches(crawl);
  for await (const rows of chunked(pages.scan({ fields: FRONTIER_FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    const whole = rows.filter((row) => !row.damaged);
    tracker.count('damaged', rows.length - whole.length);
    tracker.count('rows', rows.length);
    for (const { marks } of whole) {
      const id = marks?.generate;
      if (id !== undefined && !headers.has(id)) lost.set(id, (lost.get(id) ?? 0) + 1);
    }
    await enterIntoSeedHosts(crawl, whole, tracker);
    tracker.count('missing_frontier', await frontier.enterMissing(whole, crawl.clock()));
    await enterIntoBatches(crawl, whole, queueIn, tracker);
    tracker.done(rows.length);
  }
  for (const [batchId, size] of lost) {
    await batches.change(batchId, (found) => (found && found.state !== 'closed' ? undefined : { state: 'open', size }));
    tracker.count('missing_header');
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

async function removeStale({ tables, clock }: CrawlContext, tracker: Tracker): Promise<void> {
  const { pages, frontier, batches } = tables;
  for await (const entries of frontier.entries()) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, FRONTIER_FIELDS);
    const stale = entries.flatMap((entry, i) => {
      const row = rows[i];
      return row && (row.damaged || frontier.isEntryOf(entry, row)) ? [] : [{ entry, row }];
    });
    await frontier.correct(stale, clock());
    tracker.count('stale_frontier', stale.length);
  }
  tracker.count('stale_frontier', await frontier.removeStaleHeads());
  for (const batchId of await batches.noted()) {
    const state = (await batches.find(batchId))?.state;
    if (state !== undefined && state !== 'closed') continue;
    await batches.forget(batchId);
    tracker.count('stale_progress');
  }
  const list = await batches.list();
  const updating = new Set(list.flatMap(({ batchId, state }) => (state === 'updating' ? [batchId] : [])));
  for await (const entries of batches.allEntries()) {
    if (tracker.aborted) return;
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await pages.getMany(keys, ['marks']);
    for (const [i, entry] of entries.entries()) {
      const { marks, damaged } = rows[i] ?? {};
      if (damaged || marks?.generate === entry.batchId) continue;
      if (updating.has(entry.batchId) && marks?.updatedb === entry.batchId) continue;
      await batches.remove(entry.batchId, [entry]);
      tracker.count('stale_batch');
    }
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
