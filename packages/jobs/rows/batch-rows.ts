import type { BatchEntry, BatchHeader, Field, PageRow } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { createCounts, type Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Report } from '../reporting/job.js';
import { createTracker } from '../reporting/tracker.js';
import { shardSlots, type ShardOptions, type SlotTask } from '../shards/job-slots.js';

/** Options of the jobs that work on batches. */
export interface BatchOptions extends JobOptions, ShardOptions {
  /** A batch id, or `all` for every open batch, oldest first. */
  readonly batch: string;
}

/**
 * Describes the work of a job on batches, so that leases can be taken for it.
 * @param asks whether the job sends requests to hosts
 */
export function batchTask(job: string, { batch }: BatchOptions, asks = false): SlotTask {
  return { job, asks, ...(batch !== 'all' && { batchId: batch }) };
}

/**
 * Runs a step on one batch, or on every open batch one after the other. The result is one report. Only one job at a time works on a batch,
 * so updatedb waits for a running fetch. Each step gets the current header of its batch. On a closed batch the step is skipped, so a
 * command that was killed after its work can be run again.
 * @throws CrawlError UNKNOWN_BATCH
 */
export async function overBatches(
  crawl: CrawlContext,
  job: string,
  options: BatchOptions,
  step: (batch: BatchHeader) => Promise<Report>,
): Promise<Report> {
  const { batches } = crawl.tables;
  const serialised = <T>(batchId: string, task: (batch: BatchHeader) => Promise<T>): Promise<T> =>
    crawl.tables.exclusive(`batch ${batchId}`, async () => task(await batches.get(batchId)));

  if (options.batch !== 'all') {
    return serialised(options.batch, async (batch) => {
      if (hasWork(batch)) return step(batch);
      const tracker = createTracker(crawl, job, options, { batchId: batch.batchId });
      tracker.count(batch.state === 'generating' ? 'batch_unfinished' : 'batch_closed');
      return tracker.report();
    });
  }

  const began = crawl.clock();
  const { all, count, add } = createCounts();
  for (const { batchId } of (await batches.list()).filter(hasWork)) {
    if (options.signal?.aborted) break;
    await serialised(batchId, async (batch) => {
      if (!hasWork(batch)) return;
      if (job !== 'updatedb' && batch.state !== 'open') return count('batch_closing');
      const report = await step(batch);
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

/** A row of a batch, with its entry in the index of the batch. */
export interface BatchRow<F extends Field> {
  readonly row: PageRow<F | 'marks'>;
  readonly entry: BatchEntry;
}

/**
 * Yields the rows of a batch in chunks, with the given fields and the marks. The rows are in the order of the batch's index. Rows that the
 * batch does not hold are skipped. Damaged rows are skipped and counted.
 * @param isWanted returns true for a row that is yielded even if the batch does not hold it
 * @param slots the slots of the rows; absent: the slots of the job
 */
export async function* batchRows<F extends Field>(
  crawl: CrawlContext,
  batchId: string,
  fields: readonly F[],
  size: number,
  count: Count,
  isWanted: (row: PageRow<F | 'marks'>, batchId: string) => boolean = () => false,
  slots: Iterable<string> | undefined = shardSlots(crawl),
): AsyncGenerator<BatchRow<F>[]> {
  const { tables } = crawl;
  for await (const entries of tables.batches.entries(batchId, slots)) {
    for (let i = 0; i < entries.length; i += size) {
      const chunk = entries.slice(i, i + size);
      const keys = chunk.map(({ rowKey }) => rowKey);
      const rows = await tables.pages.getMany<F | 'marks'>(keys, [...fields, 'marks']);
      const held: BatchRow<F>[] = [];
      for (const [at, row] of rows.entries()) {
        if (row?.damaged) count('damaged');
        else if (row && (row.marks?.generate === batchId || isWanted(row, batchId)))
          held.push({ row, entry: chunk[at]! });
      }
      yield held;
    }
  }
}
