import type { BatchEntry, BatchHeader, Field, PageRow } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { defined } from '../../util/index.js';
import { createCounts, type Count } from '../reporting/counters.js';
import { jobRun, type JobContext, type JobRun, type ScopedCrawl } from '../context.js';
import type { Watch } from '../reporting/running-jobs.js';
import type { JobOptions, Report } from '../reporting/job.js';
import { createTracker } from '../reporting/tracker.js';
import { inSlots, partOf, withinBatch, type LeaseOptions } from '../shards/job-slots.js';

/** Options of the jobs that work on batches. */
export interface BatchOptions extends JobOptions, LeaseOptions {
  /** A batch id, or `all` for every open batch, oldest first. */
  readonly batch: string;
}

interface BatchJob {
  readonly job: string;
  /** Whether the job sends requests to hosts. */
  readonly asks?: boolean;
  readonly watch: Watch;
}

/** A step of a job on one batch. The slots of the run are those that the batch still has. */
type BatchStep<O> = (run: JobRun, batch: BatchHeader, options: O) => Promise<Report>;

/**
 * Runs a step on one batch, or on every open batch one after the other. The result is one report. Only one job at a time works on a batch,
 * so updatedb waits for a running fetch. For each step, leases are taken of the slots that the batch still has. On a closed batch the step
 * is skipped, so a command that was killed after its work can be run again.
 * @param step gets the current header. The signal of its options also aborts when the leases are lost.
 * @throws CrawlError UNKNOWN_BATCH, LEASE_HELD, LEASE_LOST
 */
export async function overBatches<O extends BatchOptions>(
  crawl: ScopedCrawl,
  { job, asks = false, watch }: BatchJob,
  options: O,
  step: BatchStep<O>,
): Promise<Report> {
  const { batches } = crawl.tables;
  const serialised = <T>(batchId: string, task: (batch: BatchHeader) => Promise<T>): Promise<T> =>
    crawl.tables.exclusive(`batch ${batchId}`, async () => task(await batches.get(batchId)));

  function run({ batchId, slots }: BatchHeader): Promise<Report> {
    const { leaseWaitMs, signal } = options;
    return inSlots(crawl, { job, batchId, asks }, { slots, ...defined({ leaseWaitMs, signal }) }, (jobSlots, ends) =>
      stepOn(jobRun(crawl, jobSlots, watch), job, { ...options, batch: batchId, signal: ends }, step),
    );
  }

  if (options.batch !== 'all')
    return serialised(options.batch, async (batch) =>
      hasWork(batch) ? run(batch) : skip({ ...crawl, watch }, job, options, batch),
    );

  const began = crawl.clock();
  const { all, count, add } = createCounts();
  for (const { batchId } of (await batches.list()).filter(hasWork)) {
    if (options.signal?.aborted) break;
    await serialised(batchId, async (batch) => {
      if (!hasWork(batch)) return;
      if (job !== 'updatedb' && batch.state !== 'open') return count('batch_closing');
      const report = await run(batch);
      count('batches');
      add(report.counters);
    });
  }
  return {
    job,
    seconds: Math.max(0, crawl.clock() - began) / 1000,
    counters: all,
    ...(options.signal?.aborted && { interrupted: true }),
  };
}

/** Like {@link overBatches} with one batch, for a job inside a crawl. It works in the slots of the crawl. */
export function onBatch<O extends BatchOptions>(
  run: JobRun,
  job: string,
  options: O,
  step: BatchStep<O>,
): Promise<Report> {
  return run.tables.exclusive(`batch ${options.batch}`, () => stepOn(run, job, options, step));
}

async function stepOn<O extends BatchOptions>(
  run: JobRun,
  job: string,
  options: O,
  step: BatchStep<O>,
): Promise<Report> {
  // While the job waited, another worker may have closed the batch.
  const batch = await run.tables.batches.get(options.batch);
  return hasWork(batch) ? step(withinBatch(run, batch), batch, options) : skip(run, job, options, batch);
}

function skip(
  crawl: Pick<JobContext, 'clock' | 'watch'>,
  job: string,
  options: JobOptions,
  { batchId, state }: BatchHeader,
): Report {
  const tracker = createTracker(crawl, job, options, { batchId });
  tracker.count(state === 'generating' ? 'batch_unfinished' : 'batch_closed');
  return tracker.report();
}

function hasWork({ state }: BatchHeader): boolean {
  return state === 'open' || state === 'updating';
}

/** @throws CrawlError USAGE if no batch is named */
export function mustNameBatch(options: Partial<BatchOptions> | undefined): void {
  if (typeof options?.batch === 'string') return;
  throw new CrawlError(
    'USAGE',
    `expected a batch id or "all" as batch, found ${safeText(String(options?.batch), 80)}`,
    {
      hint: 'the batch id is in the report of generate',
    },
  );
}

/** @throws CrawlError BATCH_CLOSING if updatedb has begun on the batch */
export function mustBeOpen(batch: BatchHeader): void {
  if (batch.state === 'open') return;
  throw new CrawlError('BATCH_CLOSING', `batch ${batch.batchId} is not open: updatedb has begun on it`, {
    hint: `run \`webcrawl updatedb ${batch.batchId}\` to its end; pages that were not fetched stay due`,
  });
}

export interface BatchRow<F extends Field> {
  readonly row: PageRow<F | 'marks'>;
  readonly entry: BatchEntry;
}

/**
 * Yields the rows of a batch in chunks, with the given fields and the marks. The rows are in the order of the batch's index. Rows that the
 * batch does not hold are skipped. Damaged rows are skipped and counted.
 * @param isWanted returns true for a row that is yielded even if the batch does not hold it
 */
export async function* batchRows<F extends Field>(
  crawl: JobRun,
  batchId: string,
  fields: readonly F[],
  size: number,
  count: Count,
  isWanted: (row: PageRow<F | 'marks'>, batchId: string) => boolean = () => false,
): AsyncGenerator<BatchRow<F>[]> {
  for await (const entries of batchEntries(crawl, batchId, size)) {
    const keys = entries.map(({ rowKey }) => rowKey);
    const rows = await crawl.tables.pages.getMany<F | 'marks'>(keys, [...fields, 'marks']);
    const held: BatchRow<F>[] = [];
    for (const [i, row] of rows.entries()) {
      if (row?.damaged) count('damaged');
      else if (row && (row.marks?.generate === batchId || isWanted(row, batchId)))
        held.push({ row, entry: entries[i]! });
    }
    yield held;
  }
}

/** Yields the entries of a batch in the slots of the job, in the order of the batch's index, at most `size` at a time. */
export async function* batchEntries(crawl: JobRun, batchId: string, size: number): AsyncGenerator<BatchEntry[]> {
  for await (const entries of crawl.tables.batches.entries(batchId, partOf(crawl))) {
    for (let i = 0; i < entries.length; i += size) yield entries.slice(i, i + size);
  }
}

/**
 * Writes the rows of a batch again, so that no late change of a dead worker is visible. This includes rows in the index that do not exist or
 * that no batch holds: a dead worker may still add them to the batch, as targets of redirects. A worker claims all batches that it takes over
 * before it works on any of them: a late change could otherwise move a row of one batch to another one that is closed already. It writes
 * nothing on a table of one process.
 */
export async function claimRows(crawl: JobRun, batchId: string): Promise<void> {
  const { tables, clock } = crawl;
  for await (const entries of batchEntries(crawl, batchId, tables.rowsAtATime)) {
    const keys = entries.map(({ rowKey }) => rowKey);
    await tables.changeRows(keys, [], clock(), (rows) => rows.map((row, i) => (row ? undefined : { key: keys[i]! })));
  }
}
