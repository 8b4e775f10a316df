import type { BatchHeader } from '../../webtable/index.js';
import { mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import type { JobContext, JobRun, OnPageOption } from './context.js';
import type { Report } from './reporting/job.js';
import { parseRows } from './parsing/parse-rows.js';
import { inScope } from './scope/in-scope.js';
import { createTracker } from './reporting/tracker.js';

/** Options of {@link parse}. */
export interface ParseOptions extends BatchOptions, OnPageOption {
  /** Whether to parse pages again that are already parsed in this batch. */
  readonly force?: boolean;
}

/**
 * Parses the fetched pages of a batch. It stores title, text, links and digest together with the parse mark, in one change for each row. If
 * it is run again, it continues where it stopped.
 * Counters: `COUNTERS.parse`.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING, LEASE_HELD, LEASE_LOST
 */
export async function parse(crawl: JobContext, options: ParseOptions): Promise<Report> {
  mustNameBatch(options);
  return overBatches(await inScope(crawl, options), { job: 'parse', watch: crawl.watch }, options, parseBatch);
}

async function parseBatch(crawl: JobRun, batch: BatchHeader, options: ParseOptions): Promise<Report> {
  mustBeOpen(batch);
  const { batchId, size } = batch;
  const tracker = createTracker(crawl, 'parse', options, { batchId, total: size });
  await parseRows(crawl, batchId, options.force ?? false, tracker);
  return tracker.report();
}
