import {
  batchTime,
  hostOfKey,
  isHeld,
  type BatchHeader,
  type PageChange,
  type RowToChange,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { createSetAside } from './hosts/backoff-record.js';
import type { CrawlContext } from './context.js';
import { SELECTION_FIELDS } from './fetching/fetch-item.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createDueRows, type DueRow, type DueRows } from './selection/due-rows.js';
import { createRefusals, releaseRefused, type Refusals } from './selection/refusals.js';
import { withRules } from './rules/with-rules.js';
import { inScope } from './scope/in-scope.js';
import { newBatch } from './rows/new-batch.js';
import { isReleasedSource, updatingBatches } from './rows/reschedule.js';
import type { CounterName } from './reporting/counters.js';
import { createQueueNames } from './hosts/queue-name.js';
import { createRowCounts } from './reporting/row-counts.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

/** What {@link generate} takes. */
export interface GenerateOptions extends JobOptions {
  /** Pages in the batch at the most. Absent: all that are due. */
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
/** Milliseconds that a generate may be silent before another one, of another process, takes it for dead. */
const LEASE = 60_000;
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
 * Counters: `COUNTERS.generate`.
 * @throws CrawlError USAGE for a topN below 1, or days below 0
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
  return crawl.tables.exclusive('generate', async () => selectBatch(await inScope(crawl), options));
}

async function selectBatch(given: CrawlContext, options: GenerateOptions): Promise<Selection> {
  const crawl = await withRules(given);
  const { batches, frontier } = crawl.tables;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  await releaseAbandoned(crawl, tracker);

  const now = crawl.clock();
  const until = (options.now ?? now) + (options.addDays ?? 0) * DAY;
  const rules = crawl.ruleSet?.version;
  const batchId = await newBatch(crawl, leased(crawl));
  const renew = createLease(crawl, batchId);
  await frontier.promote(now, until, renew);
  const refusals = createRefusals(crawl, options.filter ?? true);
  await releaseRefused(crawl, refusals, tracker, renew);

  /** Those of the rules that hold by now. */
  let latest = { crawl, refusals };
  const refusalsNow = async (): Promise<Refusals> => {
    const now = await withRules(crawl);
    if (now !== latest.crawl) latest = { crawl: now, refusals: createRefusals(now, options.filter ?? true) };
    return latest.refusals;
  };
  const size = await select(crawl, batchId, until, options, refusalsNow, tracker, renew);
  if (tracker.aborted || size === 0) {
    tracker.count('taken_back', await releaseRows(crawl, batchId, renew));
    await batches.delete(batchId);
    const report = tracker.report();
    return { report, size: 0, skipped: report.counters };
  }
  await batches.advance(batchId, ['generating'], () => ({
    state: 'open',
    size,
    ...(rules !== undefined && { rules }),
  }));
  const { counters: skipped } = tracker.progress();
  tracker.count('generated', size);
  return { report: tracker.report(batchId), size, skipped };
}

/** Releases what batches hold that a killed or aborted generate left unfinished, and those that are too old. */
async function releaseAbandoned(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { tables, settings } = crawl;
  const { batches } = tables;
  const now = crawl.clock();
  for (const { batchId } of await batches.list()) {
    let before: BatchHeader | undefined;
    await batches.change(batchId, (header) => {
      const isAbandoned = header?.owner === tables.owner || !tables.isShared || (header?.leasedUntil ?? 0) <= now;
      const isExpired = (batchTime(batchId) ?? 0) + settings.generate.lockExpiry * 1000 <= now;
      // Once updatedb has begun on it, only updatedb may release its rows: links of theirs are added, and would be again.
      const isFree = header?.state === 'generating' ? isAbandoned : header?.state === 'open' && isExpired;
      before = isFree ? header : undefined;
      return before && { ...before, ...leased(crawl) };
    });
    if (!before) continue;
    const { owner: _owner, leasedUntil: _leasedUntil, ...header }: BatchHeader = before;
    const released = await releaseRows(crawl, batchId, createLease(crawl, batchId));
    // One that has a size was open, and another generate was killed while it released the rows.
    const wasOpen = header.state === 'open' || header.size > 0;
    tracker.count(wasOpen ? 'expired' : 'taken_back', released);
    if (wasOpen) await batches.advance(batchId, ['generating'], () => ({ ...header, state: 'open' }));
    else await batches.delete(batchId);
  }
}

const leased = ({ tables, clock }: CrawlContext) => {
  return { state: 'generating', owner: tables.owner, leasedUntil: clock() + LEASE } as const;
};

/** Says now and then that this generate is still at work on its batch. @throws CrawlError where it was taken from it */
function createLease(crawl: CrawlContext, batchId: string): () => Promise<void> {
  let leasedAt = crawl.clock();
  return async () => {
    if (crawl.clock() - leasedAt <= LEASE / 4) return;
    leasedAt = crawl.clock();
    await crawl.tables.batches.advance(batchId, ['generating'], (header) => {
      if (header.owner === crawl.tables.owner) return { ...header, ...leased(crawl) };
      throw new CrawlError(
        'BATCH_CLOSING',
        `expected to go on with batch ${batchId}, found it taken by another generate`,
        {
          hint: `this one was silent for more than ${LEASE / 1000} seconds; run it again`,
        },
      );
    });
  };
}

async function select(
  crawl: CrawlContext,
  batchId: string,
  until: number,
  options: GenerateOptions,
  refusalsNow: () => Promise<Refusals>,
  tracker: Tracker,
  renew: () => Promise<void>,
): Promise<number> {
  const { frontier } = crawl.tables;
  const { minScore } = crawl.settings.generate;
  const { topN = Infinity, maxPerQueue = Infinity, isBusy = () => false } = options;
  const { maxCount = crawl.settings.generate.maxCount } = options;
  const queues = createQueueNames(crawl);
  const isSetAside = createSetAside(crawl, until);
  const due = createDueRows({
    frontier,
    maxPerQueue: Math.min(maxPerQueue, maxCount < 0 ? Infinity : maxCount),
    queueOf: async (host) => {
      const queue = await queues.nameOf(hostOfKey(host));
      if (isBusy(queue)) return undefined;
      if (!(await isSetAside(host))) return queue;
      tracker.count('host_backoff');
      return undefined;
    },
  });
  let size = 0;
  while (!tracker.aborted && size < topN) {
    const found = await due.read(Math.min(CHUNK, topN - size));
    // Rows come best first, so none after this one can pass.
    if (found.length === 0 || found[0]!.score < minScore) break;
    await renew();
    const refusals = await refusalsNow();
    const judge: Judge = (row, updating) => judgeRow(row, until, refusals, updating);
    const selected = await take(crawl, batchId, due, found, judge, tracker);
    size += selected;
    tracker.done(selected);
  }
  tracker.count('capped', due.fullQueues);
  return size;
}

/** Takes those of the rows that pass into the batch. @returns how many */
async function take(
  crawl: CrawlContext,
  batchId: string,
  due: DueRows,
  found: readonly DueRow[],
  judge: Judge,
  tracker: Tracker,
): Promise<number> {
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
    const changes = new Map<string, PageChange>();
    for (const key of keys) selected.delete(key);
    for (const [i, entry] of found.entries()) {
      const key = entry.rowKey;
      if (!rowOf.has(key)) continue;
      const row = rowOf.get(key);
      const verdict = changes.has(key) ? 'stale' : judge(row, updating);
      // At a place that is not its own it is selected all the same.
      if (verdict === 'stale' || (row && !row.damaged && (row.score ?? 0) !== entry.score)) stale(entry);
      if (verdict === 'selected') {
        selected.set(key, entry);
        changes.set(key, { key, set: { cashInFlight: row?.cash ?? 0 }, marks: { generate: batchId } });
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
  return selected.size;
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

/** Releases the rows of a batch that holds them for nobody. @returns how many it held */
async function releaseRows(
  { tables, clock }: CrawlContext,
  batchId: string,
  renew: () => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const entries of tables.batches.entries(batchId)) {
    await renew();
    const keys = entries.map(({ rowKey }) => rowKey);
    const released = new Set<string>();
    await tables.changeRows(keys, [], clock(), (rows) =>
      rows.map((row) => {
        if (!row || row.marks?.generate !== batchId) return undefined;
        released.add(row.key);
        return { key: row.key, unset: ['cashInFlight'], marks: { generate: null } };
      }),
    );
    await tables.batches.remove(batchId, entries);
    count += released.size;
  }
  return count;
}
