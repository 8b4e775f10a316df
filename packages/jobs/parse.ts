import type { BatchHeader } from '../../webtable/index.js';
import { mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { withOnPage, type CrawlContext, type OnPageOption } from './context.js';
import type { Report } from './reporting/job.js';
import { parseRows } from './parsing/parse-rows.js';
import { inScope } from './scope/in-scope.js';
import { createTracker } from './reporting/tracker.js';

/** What {@link parse} takes. */
export interface ParseOptions extends BatchOptions, OnPageOption {
  /** Parse pages again that this batch has parsed. */
  readonly force?: boolean;
}

/**
 * Parses what a batch has fetched: title, text, links and digest, with the parse mark, in one change per row. Running
 * it again goes on where it stopped.
 * Counters: `COUNTERS.parse`.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING
 */
export async function parse(given: CrawlContext, options: ParseOptions): Promise<Report> {
  mustNameBatch(options);
  const crawl = await inScope(withOnPage(given, options));
  return overBatches(crawl, 'parse', options, (batch) => parseBatch(crawl, batch, options));
}

async function parseBatch(crawl: CrawlContext, batch: BatchHeader, options: ParseOptions): Promise<Report> {
  mustBeOpen(batch);
  const { batchId, size } = batch;
  const tracker = createTracker(crawl, 'parse', options, { batchId, total: size });
  await parseRows(crawl, batchId, options.force ?? false, tracker);
  return tracker.report();
}
