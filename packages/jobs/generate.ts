import { isDeepStrictEqual } from 'node:util';
import {
  WHOLE,
  batchTime,
  hostOfKey,
  isHeld,
  type PageChange,
  type Progress,
  type RowToChange,
  type Shard,
  type SlotProgress,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { createSetAside } from './hosts/backoff-record.js';
import type { CrawlContext } from './context.js';
import { SELECTION_FIELDS } from './fetching/fetch-item.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createDueRows, type DueRow, type DueRows } from './selection/due-rows.js';
import { createRefusals, releaseRefused, type Refusals } from './selection/refusals.js';
import { releaseRows, takeBackAbandoned } from './selection/take-back.js';
import { withRules } from './rules/with-rules.js';
import { inScope } from './scope/in-scope.js';
import { newBatch } from './rows/new-batch.js';
import { isReleasedSource, updatingBatches } from './rows/reschedule.js';
import type { CounterName } from './reporting/counters.js';
import { createQueueNames } from './hosts/queue-name.js';
import { createRowCounts } from './reporting/row-counts.js';
import { createTracker, type Tracker } from './reporting/tracker.js';
import { firstOf, hold, inSlots, partOf, type ShardOptions } from './shards/own-slots.js';

/** What {@link generate} takes. */
export interface GenerateOptions extends JobOptions, ShardOptions {
  /**
   * The id of the batch to make, or to go on with where it is not generated to its end: that which all shards of a round share. Absent: a
   * new one.
   */
  readonly batch?: string;
  /** Pages in the batch at the most; of a shard, those that it selects. Absent: all that are due. */
  readonly topN?: number;
  /** Select what is due at this time, in ms since the epoch. Absent: now. */
  readonly now?: number;
  /** Days added to that time, so that what becomes due within them is selected now. Default: 0. */
  readonly addDays?: number;
  /** Pages of one host, domain or IP at the most, in place of `generate.maxCount`; below 0 is no limit. */
  readonly maxCount?: number;
  /** The same; the lower of this and `maxCount` holds. */
  readonly maxPerQueue?: number;
  /** false: URL filters, and the patterns of the crawl's scope, are not asked, which is faster. Default: true. */
  readonly filter?: boolean;
  /** Hosts, domains or IPs of which nothing is selected. */
  readonly isBusy?: (queue: string) => boolean;
}

const FIELDS = [...SELECTION_FIELDS, 'cashInFlight'] as const;
type Candidate = RowToChange<(typeof FIELDS)[number]>;
/** Why a row is not selected, with what has to change for it where generate need not meet it until then. */
type Verdict = { readonly reason: CounterName; readonly cause?: string | undefined };
/** @param updating batches of which updatedb may still need what their rows handed on */
type Judge = (row: Candidate, updating: ReadonlySet<string>) => Verdict | 'selected' | 'stale';
const CHUNK = 500;
/** Milliseconds. */
const DAY = 86_400_000;

/**
 * Selects a batch: rows that are due and held by no other batch, best score first and then by row key, at most
 * `generate.maxCount` of a host, domain or IP (`partition.urlMode`) and `topN` in all. It reads the due part of the
 * frontier and the rows it selects, never the table. The report has a batch id when anything was selected.
 *
 * Order of writes: the batch's index, then each row with its mark, then the row's old frontier entry. A batch that a
 * killed or aborted generate left unfinished is taken back first, so its rows are selected anew.
 *
 * In shards each selects the queues of its own slots, and notes that they are through; who comes last opens the batch. Run again, a
 * shard goes on with what is not.
 *
 * Counters: `COUNTERS.generate`.
 * @throws CrawlError USAGE for a topN below 1, days below 0, or a shard without `batch`; LEASE_HELD, LEASE_LOST
 */
export async function generate(crawl: CrawlContext, options: GenerateOptions = {}): Promise<Report> {
  return (await generateAndCount(crawl, options)).report;
}

/** What {@link generateAndCount} did. */
export interface Selection {
  readonly report: Report;
  /** Rows of the batch. */
  readonly size: number;
  /** The counters of what is not in the batch. */
  readonly skipped: Report['counters'];
}

/** The same, for a crawl, which goes by what was selected. */
export async function generateAndCount(crawl: CrawlContext, options: GenerateOptions): Promise<Selection> {
  const { topN = 1, addDays = 0 } = options;
  if (!(topN >= 1)) throw new CrawlError('USAGE', `expected topN of at least 1, found ${topN}`);
  if (!(addDays >= 0)) throw new CrawlError('USAGE', `expected addDays of at least 0, found ${addDays}`);
  const dealt = { ...(options.topN !== undefined && { topN: shareOf(options.topN, options.shard) }) };
  const task = { job: 'generate', ...(options.batch !== undefined && { batchId: options.batch }) };
  return inSlots(crawl, task, mustNameItsBatch(options), (own, signal) =>
    own.tables.exclusive('generate', async () =>
      selectBatch(await inScope(own), { ...options, ...dealt, ...(signal && { signal }) }),
    ),
  );
}

/** How many of the rows of a batch a shard selects at the most. */
function shareOf(topN: number, { index, count }: Shard = WHOLE): number {
  return Math.floor(topN / count) + Number(index < topN % count);
}

/** @throws CrawlError USAGE for a shard without the batch that all share */
function mustNameItsBatch(options: GenerateOptions): GenerateOptions {
  if (options.batch !== undefined || (options.shard?.count ?? 1) === 1) return options;
  throw new CrawlError('USAGE', 'expected the id of the batch that all shards select together, found none', {
    hint: '`webcrawl batch-id` makes one; give it to all shards as --batch',
  });
}

async function selectBatch(given: CrawlContext, options: GenerateOptions): Promise<Selection> {
  const crawl = await withRules(given);
  const { batches, frontier } = crawl.tables;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  await takeBackAbandoned(crawl, options.batch, tracker);

  const now = crawl.clock();
  const until = (options.now ?? now) + (options.addDays ?? 0) * DAY;
  const batchId = options.batch ?? (await newBatch(crawl, { state: 'generating' }));
  const joined = options.batch === undefined ? undefined : await joinBatch(crawl, batchId, tracker);
  const slots = joined?.left;
  if (slots?.size === 0) {
    await openIfGenerated(crawl, batchId, crawl.ruleSet?.version);
    tracker.count('batch_generated');
    return { report: tracker.report(batchId), size: 0, skipped: {} };
  }
  const step = (): Promise<void> => hold(crawl);
  const ofHosts = slotsOfHosts(crawl, slots);
  await frontier.promote(now, until, step, ofHosts);
  const refusals = createRefusals(crawl, options.filter ?? true);
  await releaseRefused(crawl, refusals, tracker, step, ofHosts);

  /** Those of the rules that hold by now. */
  let latest = { crawl, refusals };
  const refusalsNow = async (): Promise<Refusals> => {
    const now = await withRules(crawl);
    if (now !== latest.crawl) latest = { crawl: now, refusals: createRefusals(now, options.filter ?? true) };
    return latest.refusals;
  };
  const sizes = await select(crawl, batchId, until, options, slots, refusalsNow, tracker);
  const size = [...sizes.values()].reduce((sum, n) => sum + n, 0);
  if (slots && !tracker.aborted) {
    await hold(crawl);
    await batches.changeProgress(batchId, slots, (found, slot) => {
      // Another worker that has the slot by now, or has taken it back, knows better.
      if (!isDeepStrictEqual(found, joined?.seen.get(slot))) return undefined;
      return { generated: sizes.get(slot) ?? 0 };
    });
    await openIfGenerated(crawl, batchId, crawl.ruleSet?.version);
  } else if (tracker.aborted || size === 0) {
    tracker.count('taken_back', await releaseRows(crawl, batchId, slots));
    if (slots) return { report: tracker.report(batchId), size: 0, skipped: {} };
    await batches.delete(batchId);
    const report = tracker.report();
    return { report, size: 0, skipped: report.counters };
  } else {
    await open(crawl, batchId, size, crawl.ruleSet?.version);
  }
  const { counters: skipped } = tracker.progress();
  tracker.count('generated', size);
  return { report: tracker.report(batchId), size, skipped };
}

const open = ({ tables }: CrawlContext, batchId: string, size: number, rules: string | undefined): Promise<void> =>
  tables.batches.advance(batchId, ['generating'], () => ({
    state: 'open',
    size,
    ...(rules !== undefined && { rules }),
  }));

/**
 * The slots of the hosts of which the queues are in these. By host they are the same; a domain or an address may have hosts
 * in any slot.
 */
function slotsOfHosts({ settings }: CrawlContext, slots: ReadonlySet<string> | undefined) {
  return settings.partition.urlMode === 'host' ? slots : undefined;
}

/**
 * Makes a batch, or joins one that others generate too, and releases what a killed run selected of its own slots.
 * @returns of these the slots that are not through, and what is noted of all
 */
async function joinBatch(
  crawl: CrawlContext,
  batchId: string,
  tracker: Tracker,
): Promise<{ readonly left: ReadonlySet<string>; readonly seen: Progress }> {
  const { batches, slots } = crawl.tables;
  if (batchTime(batchId) === undefined) {
    throw new CrawlError('USAGE', `expected a batch id, found "${safeText(batchId, 80)}"`, {
      hint: '`webcrawl batch-id` makes one',
    });
  }
  const header = await batches.change(batchId, (found) => (found ? undefined : { state: 'generating', size: 0 }));
  if (header?.state !== 'generating') return { left: new Set(), seen: new Map() };
  const seen = await batches.progress(batchId, partOf(crawl));
  const isOpen = (slot: string): boolean => seen.get(slot)?.generated === undefined;
  const left = new Set([...(crawl.own?.slots ?? slots.all)].filter(isOpen));
  tracker.count('taken_back', await releaseRows(crawl, batchId, left));
  return { left, seen };
}

/** Opens a batch of which all slots are generated, with the sum of their rows; one without any is closed. */
async function openIfGenerated(crawl: CrawlContext, batchId: string, rules: string | undefined): Promise<void> {
  const { batches } = crawl.tables;
  let size = 0;
  const isGenerated = ({ generated }: SlotProgress): boolean => {
    size += generated ?? 0;
    return generated !== undefined;
  };
  if (!(await batches.everyProgress(batchId, isGenerated, firstOf(crawl.own?.slots)))) return;
  const state = size > 0 ? 'open' : 'closed';
  // Another one may have done so.
  await batches.change(batchId, (header) =>
    header?.state === 'generating' ? { state, size, ...(rules !== undefined && { rules }) } : undefined,
  );
  if (size === 0) await batches.forget(batchId);
}

/** @returns how many rows were selected, by slot */
async function select(
  crawl: CrawlContext,
  batchId: string,
  until: number,
  options: GenerateOptions,
  slots: ReadonlySet<string> | undefined,
  refusalsNow: () => Promise<Refusals>,
  tracker: Tracker,
): Promise<ReadonlyMap<string, number>> {
  const { frontier, slots: ofTable } = crawl.tables;
  const { minScore } = crawl.settings.generate;
  const { topN = Infinity, maxPerQueue = Infinity, isBusy = () => false } = options;
  const { maxCount = crawl.settings.generate.maxCount } = options;
  const queues = createQueueNames(crawl);
  const isSetAside = createSetAside(crawl, until);
  const due = createDueRows({
    frontier,
    slots: slotsOfHosts(crawl, slots),
    maxPerQueue: Math.min(maxPerQueue, maxCount < 0 ? Infinity : maxCount),
    queueOf: async (host) => {
      const queue = await queues.nameOf(hostOfKey(host));
      if (isBusy(queue) || (slots && !slots.has(ofTable.ofQueue(queue)))) return undefined;
      if (!(await isSetAside(host))) return queue;
      tracker.count('host_backoff');
      return undefined;
    },
  });
  let size = 0;
  const sizes = new Map<string, number>();
  while (!tracker.aborted && size < topN) {
    const found = await due.read(Math.min(CHUNK, topN - size));
    // Rows come best first, so none after this one can pass.
    if (found.length === 0 || found[0]!.score < minScore) break;
    const refusals = await refusalsNow();
    const judge: Judge = (row, updating) => judgeRow(row, until, refusals, updating);
    const selected = await take(crawl, batchId, due, found, judge, tracker);
    size += selected.length;
    for (const { queue } of selected) {
      const slot = ofTable.ofQueue(queue);
      sizes.set(slot, (sizes.get(slot) ?? 0) + 1);
    }
    tracker.done(selected.length);
  }
  tracker.count('capped', due.fullQueues);
  return sizes;
}

/** Takes those of the rows that pass into the batch. @returns them */
async function take(
  crawl: CrawlContext,
  batchId: string,
  due: DueRows,
  found: readonly DueRow[],
  judge: Judge,
  tracker: Tracker,
): Promise<readonly DueRow[]> {
  const { tables } = crawl;
  const now = crawl.clock();
  const selected = new Map<string, DueRow>();
  // Until a stale entry is corrected, a row may have two.
  const distinct = new Set(found.map(({ rowKey }) => rowKey));
  const counts = createRowCounts(tracker.count);
  await tables.changeRows([...distinct], FIELDS, now, async (rows, keys, stale) => {
    const countOf = new Map(keys.map((key) => [key, counts.of(key)]));
    const rowOf = new Map(keys.map((key, i) => [key, rows[i]]));
    const updating = await updatingBatches(tables, rows);
    await hold(crawl);
    const changes = new Map<string, PageChange>();
    // Of one that is decided on again, the change may have been made all the same: its answer was lost.
    const before = new Set(keys.filter((key) => selected.delete(key)));
    for (const [i, entry] of found.entries()) {
      const key = entry.rowKey;
      if (!rowOf.has(key)) continue;
      const row = rowOf.get(key);
      if (before.has(key) && row?.marks?.generate === batchId && !selected.has(key)) {
        selected.set(key, entry);
        continue;
      }
      const verdict = changes.has(key) ? 'stale' : judge(row, updating);
      // At a place that is not its own it is selected all the same.
      if (verdict === 'stale' || (row && !row.damaged && (row.score ?? 0) !== entry.score)) stale(entry);
      if (verdict === 'selected') {
        selected.set(key, entry);
        changes.set(key, {
          key,
          set: { cashInFlight: row?.cash ?? 0 },
          unset: ['distanceInFlight'],
          marks: { generate: batchId },
        });
        continue;
      }
      if (verdict === 'stale') countOf.get(key)!('stale');
      else {
        countOf.get(key)!(verdict.reason);
        if (verdict.cause !== undefined) changes.set(key, { key, set: { refusedBy: verdict.cause } });
      }
      if (!due.refuse(entry)) continue;
      due.giveBack(found.slice(i + 1));
      break;
    }
    await tables.batches.enter(batchId, [...selected.values()]);
    return keys.map((key) => changes.get(key));
  });
  counts.end();
  return [...selected.values()];
}

function judgeRow(
  row: Candidate,
  until: number,
  refusals: Refusals,
  updating: ReadonlySet<string>,
): Verdict | 'selected' | 'stale' {
  if (!row) return 'stale';
  if (row.damaged) return { reason: 'damaged' };
  if (isHeld(row) || row.refusedBy !== undefined || (row.dueAt ?? 0) > until) return 'stale';
  const last = row.marks?.updatedb ?? '';
  if (updating.has(last) && isReleasedSource(row, last)) return { reason: 'updating' };
  return refusals.of(row) ?? 'selected';
}
