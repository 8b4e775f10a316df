import {
  batchRowKeys,
  chunked,
  getBatch,
  listBatches,
  type BatchHeader,
  type Field,
  type PageRow,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { CrawlContext } from './context.js';
import type { JobOptions, Report } from './job.js';
import { createTracker } from './tracker.js';

/** What the jobs that work on batches take. */
export interface BatchOptions extends JobOptions {
  /** A batch id, or `all` for every batch that is open, oldest first. */
  readonly batch: string;
}

/**
 * Runs a step over one batch, or over each open batch in turn with one report over all. A batch that is closed already
 * has nothing left to do, so that a command which was killed after its work was done can be run again.
 * @throws CrawlError UNKNOWN_BATCH
 */
export async function overBatches(
  crawl: CrawlContext,
  job: string,
  options: BatchOptions,
  step: (batch: BatchHeader) => Promise<Report>,
): Promise<Report> {
  const { store } = crawl.table;
  if (options.batch !== 'all') {
    const batch = await getBatch(store, options.batch);
    if (batch.state === 'closed' || batch.state === 'generating') {
      const tracker = createTracker(crawl, job, options, { batchId: batch.batchId });
      tracker.count(batch.state === 'closed' ? 'batch_closed' : 'batch_unfinished');
      return tracker.report();
    }
    return step(batch);
  }

  const began = crawl.clock();
  const counters: Record<string, number> = {};
  for (const batch of await listBatches(store)) {
    if (batch.state === 'closed' || batch.state === 'generating') continue;
    if (options.signal?.aborted) break;
    if (job !== 'updatedb' && batch.state !== 'open') {
      counters.batch_closing = (counters.batch_closing ?? 0) + 1;
      continue;
    }
    const report = await step(batch);
    counters.batches = (counters.batches ?? 0) + 1;
    for (const [reason, n] of Object.entries(report.counters)) counters[reason] = (counters[reason] ?? 0) + n;
  }
  return {
    job,
    seconds: Math.max(0, crawl.clock() - began) / 1000,
    counters,
    ...(options.signal?.aborted && { interrupted: true }),
  };
}

/** @throws CrawlError BATCH_CLOSING once updatedb has begun on the batch */
export function mustBeOpen(batch: BatchHeader): void {
  if (batch.state === 'open') return;
  throw new CrawlError('BATCH_CLOSING', `expected batch ${batch.batchId} to be open, but updatedb has begun on it`, {
    hint: `run \`webcrawl updatedb ${batch.batchId}\` to its end; pages that were not fetched stay due`,
  });
}

/** A row of a batch, and its place in the order of the batch's index, which holds until the batch is closing. */
export interface BatchRow<F extends Field> {
  readonly row: PageRow<F | 'marks'>;
  readonly position: number;
}

/**
 * The rows of a batch in chunks, with what is asked for and the marks. Index entries whose row the batch does not hold
 * are passed over; so are damaged rows, which are counted.
 */
export async function* batchRows<F extends Field>(
  crawl: CrawlContext,
  batchId: string,
  fields: readonly F[],
  size: number,
  count: (reason: string, n?: number) => void,
): AsyncGenerator<BatchRow<F>[]> {
  let position = 0;
  for await (const keys of chunked(batchRowKeys(crawl.table.store, batchId), size)) {
    const rows = await crawl.table.getMany<F | 'marks'>(keys, [...fields, 'marks']);
    const held: BatchRow<F>[] = [];
    for (const row of rows) {
      if (row?.damaged) count('damaged');
      else if (row?.marks?.generate === batchId) held.push({ row, position });
      position += 1;
    }
    yield held;
  }
}
