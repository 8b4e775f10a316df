import { isDeepStrictEqual } from 'node:util';
import { WHOLE, type Shard } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { endBaseline } from './changes/end-baseline.js';
import type { CrawlContext } from './context.js';
import { joinBatch, openBatch, openIfGenerated } from './generating/open-batch.js';
import { selectRows } from './generating/select-rows.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createTracker } from './reporting/tracker.js';
import { newBatch } from './rows/new-batch.js';
import { withRules } from './rules/with-rules.js';
import { inScope } from './scope/in-scope.js';
import { makeTooLateDue } from './selection/due-too-late.js';
import { createRefusals, releaseRefused, type Refusals } from './selection/refusals.js';
import { releaseRows, releaseAbandoned } from './selection/release-abandoned.js';
import { checkLeases, inSlots, type ShardOptions } from './shards/job-slots.js';

/** Options of {@link generate}. */
export interface GenerateOptions extends JobOptions, ShardOptions {
  /**
   * The id of the batch. If a batch with this id exists and is not completely generated, the job continues it. All shards of a round use
   * the same id. Absent: a new id.
   */
  readonly batch?: string;
  /** Maximum number of pages in the batch. All shards share this number. Absent: all due pages. */
  readonly topN?: number;
  /** Also selects pages that become due within this number of days from now. Default: 0. */
  readonly addDays?: number;
  /** Maximum number of pages of one host, domain or IP, instead of `generate.maxCount`. Below 0 means no limit. */
  readonly maxCount?: number;
  /** false: URL filters and the patterns of the scope are not checked, which is faster. Default: true. */
  readonly filter?: boolean;
}

/** The options of generate, and an option that only a crawl uses. */
export interface RoundOptions extends GenerateOptions {
  /** Whether no row of a queue (a host, domain or IP) may be selected. `end`: no row of any further queue may be selected either. */
  readonly isBusy?: (queue: string) => boolean | 'end';
}

/** A day in milliseconds. */
const DAY = 86_400_000;

/**
 * Selects a batch of due rows that no other batch holds. Rows with the best score come first. Rows with equal scores are in the order of
 * their keys. At most `topN` rows are selected, and at most `generate.maxCount` rows of a host, domain or IP (`partition.urlMode`). It
 * reads the due part of the frontier and the rows that it selects, never the whole table. The report has a batch id if any row was
 * selected.
 *
 * First, generate releases the rows of batches that a killed or aborted generate left unfinished, so that these rows can be selected again.
 * Order of writes: the index of the batch, then each row with its mark, then the old frontier entry of the row.
 *
 * In shards, each worker selects rows from the queues of its own slots, and records each slot as done. The worker that finishes last opens
 * the batch. A repeated run of a shard continues with the slots that are not done.
 *
 * Counters: `COUNTERS.generate`.
 * @throws CrawlError USAGE for a topN below 1, days below 0, or a shard without `batch`; LEASE_HELD, LEASE_LOST
 */
export async function generate(crawl: CrawlContext, options: GenerateOptions = {}): Promise<Report> {
  const { report } = await generateAndCount(crawl, options);
  if (report.batchId === undefined && !report.interrupted) await endBaseline(crawl);
  return report;
}

export interface Selection {
  readonly report: Report;
  /** Number of rows in the batch. */
  readonly size: number;
  /** The counters of the rows that were skipped. */
  readonly skipped: Report['counters'];
}

/** Like {@link generate}, but with more options, and with the number of selected rows in the result. */
export async function generateAndCount(crawl: CrawlContext, options: RoundOptions): Promise<Selection> {
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

/** Returns the maximum number of rows of a batch that a shard selects. */
function shareOf(topN: number, { index, count }: Shard = WHOLE): number {
  return Math.floor(topN / count) + Number(index < topN % count);
}

/** @throws CrawlError USAGE for a shard without the id of the common batch */
function mustNameItsBatch(options: RoundOptions): RoundOptions {
  if (options.batch !== undefined || (options.shard?.count ?? 1) === 1) return options;
  throw new CrawlError('USAGE', 'expected the id of the batch that all shards select together, found none', {
    hint: '`webcrawl batch-id` makes a batch id; give the same id to all shards as --batch',
  });
}

async function selectBatch(given: CrawlContext, options: RoundOptions): Promise<Selection> {
  const crawl = await withRules(given);
  const { batches, frontier } = crawl.tables;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  await releaseAbandoned(crawl, options.batch, tracker);

  const now = crawl.clock();
  const until = now + (options.addDays ?? 0) * DAY;
  const batchId = options.batch ?? (await newBatch(crawl, { state: 'generating' }));
  const joined = options.batch === undefined ? undefined : await joinBatch(crawl, batchId, tracker);
  const slots = joined?.left;
  if (slots?.size === 0) {
    await openIfGenerated(crawl, batchId, crawl.ruleSet?.version);
    tracker.count('batch_generated');
    return { report: tracker.report(batchId), size: 0, skipped: {} };
  }
  const step = (): Promise<void> => checkLeases(crawl);
  /**
   * The slots of the hosts whose rows are read. With one queue for each host, they are the slots of the job. A queue for a domain or IP
   * address may have hosts in any slot.
   */
  const ofHosts = crawl.settings.partition.urlMode === 'host' ? slots : undefined;
  await makeTooLateDue(crawl, tracker.count, { onStep: step, slots: ofHosts });
  await frontier.promote(now, until, step, ofHosts);
  const refusals = createRefusals(crawl, options.filter ?? true);
  await releaseRefused(crawl, refusals, tracker, step, ofHosts);

  /** The context and the refusals for the latest version of the rules. */
  let latest = { crawl, refusals };
  const refusalsNow = async (): Promise<Refusals> => {
    const now = await withRules(crawl);
    if (now !== latest.crawl) latest = { crawl: now, refusals: createRefusals(now, options.filter ?? true) };
    return latest.refusals;
  };
  const sizes = await selectRows(crawl, { batchId, until, options, slots, ofHosts, refusalsNow, tracker });
  const size = [...sizes.values()].reduce((sum, n) => sum + n, 0);
  if (slots && !tracker.aborted) {
    await checkLeases(crawl);
    await batches.changeProgress(batchId, slots, (found, slot) => {
      // Another worker may own the slot now, and may have stored other progress. Then that progress stays.
      if (!isDeepStrictEqual(found, joined?.seen.get(slot))) return undefined;
      return { generated: sizes.get(slot) ?? 0 };
    });
    await openIfGenerated(crawl, batchId, crawl.ruleSet?.version);
  } else if (tracker.aborted || size === 0) {
    tracker.count('released_unfinished', await releaseRows(crawl, batchId, slots));
    if (slots) return { report: tracker.report(batchId), size: 0, skipped: {} };
    await batches.delete(batchId);
    const report = tracker.report();
    return { report, size: 0, skipped: report.counters };
  } else {
    await openBatch(crawl, batchId, size, crawl.ruleSet?.version);
  }
  const { counters: skipped } = tracker.progress();
  tracker.count('generated', size);
  return { report: tracker.report(batchId), size, skipped };
}
