import type { BatchEntry, BatchHeader, Field, PageRow } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { createCounts, type Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Report } from '../reporting/job.js';
import { createTracker } from '../reporting/tracker.js';
import { partOf, type ShardOptions, type SlotTask } from '../shards/own-slots.js';

/** What the jobs that work on batches take. */
export interface BatchOptions extends JobOptions, ShardOptions {
  /** A batch id, or `all` for every batch that is open, oldest first. */
  readonly batch: string;
}

/** What the leases of a job on batches are taken for. @param asks it asks hosts */
export function batchTask(job: string, { batch }: BatchOptions, asks = false): SlotTask {
  return { job, asks, ...(batch !== 'all' && { batchId: batch }) };
}

/**
 * Runs a step over one batch, or over each open batch in turn with one report over all. Steps on one batch take turns,
 * so that updatedb waits for a fetch under way; each finds the header as the one before left it. A batch that is closed
 * already has nothing left to do, so that a command which was killed after its work was done can be run again.
 * @throws CrawlError UNKNOWN_BATCH
 */
export async function overBatches(
  crawl: CrawlContext,
  job: string,
  options: BatchOptions,
  step: (batch: BatchHeader) => Promise<Report>,
): Promise<Report> {
  const { batches } = crawl.tables;
  const inTurn = <T>(batchId: string, task: (batch: BatchHeader) => Promise<T>): Promise<T> =>
    crawl.tables.exclusive(`batch ${batchId}`, async () => task(await batches.get(batchId)));

  if (options.batch !== 'all') {
    return inTurn(options.batch, async (batch) => {
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
    await inTurn(batchId, async (batch) => {
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

/** @throws CrawlError USAGE where no batch is named */
export function mustNameBatch(options: Partial<BatchOptions> | undefined): void {
  if (typeof options?.batch === 'string') return;
  throw new CrawlError(
    'USAGE',
    `expected a batch id or "all" as batch, found ${safeText(String(options?.batch), 80)}`,
    {
      hint: 'the report of generate has the batchId',
    },
  );
}

/** @throws CrawlError BATCH_CLOSING once updatedb has begun on the batch */
export function mustBeOpen(batch: BatchHeader): void {
  if (batch.state === 'open') return;
  throw new CrawlError('BATCH_CLOSING', `expected batch ${batch.batchId} to be open, but updatedb has begun on it`, {
    hint: `run \`webcrawl updatedb ${batch.batchId}\` to its end; pages that were not fetched stay due`,
  });
}

/** A row of a batch, with its entry in the index. */
export interface BatchRow<F extends Field> {
  readonly row: PageRow<F | 'marks'>;
  readonly entry: BatchEntry;
}

/**
 * The rows of the own slots of a batch in chunks, in the order of its index, with what is asked for and the marks. Index entries whose row
 * the batch does not hold are passed over; so are damaged rows, which are counted.
 * @param isWanted of a row that the batch does not hold, whether it is read all the same
 * @param slots absent: those of the job
 */
export async function* batchRows<F extends Field>(
  crawl: CrawlContext,
  batchId: string,
  fields: readonly F[],
  size: number,
  count: Count,
  isWanted: (row: PageRow<F | 'marks'>, batchId: string) => boolean = () => false,
  slots: Iterable<string> | undefined = partOf(crawl),
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
