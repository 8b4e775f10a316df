import { WHOLE, type Shard } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { defined } from '../util/index.js';
import { endBaseline } from './changes/end-baseline.js';
import { jobRun, type JobContext, type JobRun } from './context.js';
import { selectRows } from './generating/select-rows.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createTracker } from './reporting/tracker.js';
import type { Counts } from './reporting/counters.js';
import { foldInboxes } from './inbox/fold-inboxes.js';
import { newBatch } from './rows/new-batch.js';
import { rulesNow, type RulesInForce } from './rules/rules-now.js';
import { inScope } from './scope/in-scope.js';
import { makeTooLateDue } from './selection/due-too-late.js';
import { createRefusals, releaseRefused, type Refusals } from './selection/refusals.js';
import { releaseRows, releaseAbandoned } from './selection/release-abandoned.js';
import { checkLeases, inSlots, partOf, slotsOf, type ShardOptions } from './shards/job-slots.js';

/** Options of {@link generate}. */
export interface GenerateOptions extends JobOptions, ShardOptions {
  /** Maximum number of pages in the batch. With `shard`, all shards share this number. Absent: all due pages. */
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
  /** Whether no row of a queue (a host, domain or IP) may be selected. `end`: no row of any other queue may be selected either. */
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
 * First, generate adds the links in the inboxes of its slots, and releases the rows of batches that a killed or aborted generate left unfinished, so that these rows can be selected again.
 * Order of writes: the index of the batch, then each row with its mark, then the old frontier entry of the row.
 *
 * With `shard`, the rows are selected from the slots of this shard, and the batch has only these slots.
 *
 * Counters: `COUNTERS.generate`.
 * @throws CrawlError USAGE for a topN below 1, days below 0, and as {@link slotsOf}; LEASE_HELD, LEASE_LOST
 */
export async function generate(crawl: JobContext, options: GenerateOptions = {}): Promise<Report> {
  mustBeSelectable(options);
  const { leaseWaitMs, signal: given, shard, topN } = options;
  const how = { slots: slotsOf(crawl, options), ...defined({ leaseWaitMs, signal: given }) };
  const { report } = await inSlots(crawl, { job: 'generate' }, how, (jobSlots, signal) =>
    crawl.tables.exclusive('generate', async () =>
      selectBatch(jobRun(await inScope(crawl), jobSlots, crawl.watch), {
        ...options,
        signal,
        ...(topN !== undefined && { topN: shareOf(topN, shard) }),
      }),
    ),
  );
  const isWhole = (shard?.count ?? 1) === 1;
  if (report.batchId === undefined && !report.interrupted && isWhole) await endBaseline(crawl);
  return report;
}

export interface Selection {
  readonly report: Report;
  /** Number of rows in the batch. */
  readonly size: number;
  readonly skipped: Report['counters'];
  /** The counters of the inboxes that were folded first. */
  readonly folded: Counts;
}

/** Like {@link generate}, for a round of a crawl: with more options, and with the number of selected rows in the result. */
export async function selectRound(run: JobRun, options: RoundOptions): Promise<Selection> {
  mustBeSelectable(options);
  return run.tables.exclusive('generate', () => selectBatch(run, options));
}

/** @throws CrawlError USAGE for a topN below 1, and days below 0 */
function mustBeSelectable({ topN = 1, addDays = 0 }: RoundOptions): void {
  if (!(topN >= 1)) throw new CrawlError('USAGE', `expected topN of at least 1, found ${topN}`);
  if (!(addDays >= 0)) throw new CrawlError('USAGE', `expected addDays of at least 0, found ${addDays}`);
}

/** Returns the share of a shard in a maximum number of pages. */
export function shareOf(topN: number, { index, count }: Shard = WHOLE): number {
  return Math.floor(topN / count) + Number(index < topN % count);
}

async function selectBatch(crawl: JobRun, options: RoundOptions): Promise<Selection> {
  const rules = await rulesNow(crawl);
  const { batches, frontier } = crawl.tables;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  await releaseAbandoned(crawl, tracker);
  const folded = await foldInboxes(crawl, tracker);

  const now = crawl.clock();
  const until = now + (options.addDays ?? 0) * DAY;
  const slots = partOf(crawl);
  const batchId = await newBatch(crawl, { state: 'generating' }, slots);
  const step = (): Promise<void> => checkLeases(crawl);
  await makeTooLateDue(crawl, tracker.count, { onStep: step, slots });
  await frontier.promote(now, until, step, slots);
  const refusalsBy = (by: RulesInForce): Refusals => createRefusals(crawl, by, options.filter ?? true);
  const refusals = refusalsBy(rules);
  await releaseRefused(crawl, refusals, tracker, step, slots);

  let latest = { ...rules, refusals };
  const refusalsNow = async (): Promise<Refusals> => {
    const now = await rulesNow(crawl);
    if (now.ruleSet !== latest.ruleSet) latest = { ...now, refusals: refusalsBy(now) };
    return latest.refusals;
  };
  const size = await selectRows(crawl, { batchId, until, options, refusalsNow, tracker });
  if (tracker.aborted || size === 0) {
    tracker.count('released_unfinished', await releaseRows(crawl, batchId));
    await batches.abandon(batchId);
    const { counters: skipped } = tracker.progress();
    tracker.add(folded, 'fold_');
    return { report: tracker.report(), size: 0, skipped, folded };
  }
  await batches.advance(batchId, ['generating'], ({ slots }) => ({
    state: 'open',
    size,
    ...defined({ slots, rules: rules.ruleSet.plugin && rules.ruleSet.version }),
  }));
  const { counters: skipped } = tracker.progress();
  tracker.count('generated', size);
  tracker.add(folded, 'fold_');
  return { report: tracker.report(batchId), size, skipped, folded };
}
