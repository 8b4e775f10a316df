import type { BatchHeader } from '../../webtable/index.js';
import { batchTask, mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { withHooks, type CrawlContext, type OnPageOption } from './context.js';
import type { Report } from './reporting/job.js';
import { parseRows } from './parsing/parse-rows.js';
import { inScope } from './scope/in-scope.js';
import { createTracker } from './reporting/tracker.js';
import { storeParsed } from './fetching/slots-through.js';
import { inSlots, isProgressStored } from './shards/job-slots.js';

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
export async function parse(given: CrawlContext, options: ParseOptions): Promise<Report> {
  mustNameBatch(options);
  return inSlots(given, batchTask('parse', options), options, async (own, signal) => {
    const crawl = await inScope(withHooks(own, options));
    const how = { ...options, ...(signal && { signal }) };
    return overBatches(crawl, 'parse', how, (batch) => parseBatch(crawl, batch, how));
  });
}

async function parseBatch(crawl: CrawlContext, batch: BatchHeader, options: ParseOptions): Promise<Report> {
  mustBeOpen(batch);
  const { batchId, size } = batch;
  const tracker = createTracker(crawl, 'parse', options, { batchId, total: size });
  await parseRows(crawl, batchId, options.force ?? false, tracker);
  if (!tracker.aborted && isProgressStored(crawl)) await storeParsed(crawl, batchId);
  return tracker.report();
}
