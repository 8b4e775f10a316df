import type { BatchHeader } from '../../webtable/index.js';
import { batchTask, mustBeOpen, mustNameBatch, overBatches, type BatchOptions } from './rows/batch-rows.js';
import { withOnPage, type CrawlContext, type OnPageOption } from './context.js';
import type { Report } from './reporting/job.js';
import { parseRows } from './parsing/parse-rows.js';
import { inScope } from './scope/in-scope.js';
import { createTracker } from './reporting/tracker.js';
import { noteParsed } from './fetching/slots-through.js';
import { inSlots, isNoted } from './shards/own-slots.js';

/** What {@link parse} takes. */
export interface ParseOptions extends BatchOptions, OnPageOption {
  /** Parse pages again that this batch has parsed. */
  readonly force?: boolean;
}

/**
 * Parses what a batch has fetched: title, text, links and digest, with the parse mark, in one change per row. Running
 * it again goes on where it stopped.
 * Counters: `COUNTERS.parse`.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING, LEASE_HELD, LEASE_LOST
 */
export async function parse(given: CrawlContext, options: ParseOptions): Promise<Report> {
  mustNameBatch(options);
  return inSlots(given, batchTask('parse', options), options, async (own, signal) => {
    const crawl = await inScope(withOnPage(own, options));
    const how = { ...options, ...(signal && { signal }) };
    return overBatches(crawl, 'parse', how, (batch) => parseBatch(crawl, batch, how));
  });
}

async function parseBatch(crawl: CrawlContext, batch: BatchHeader, options: ParseOptions): Promise<Report> {
  mustBeOpen(batch);
  const { batchId, size } = batch;
  const tracker = createTracker(crawl, 'parse', options, { batchId, total: size });
  await parseRows(crawl, batchId, options.force ?? false, tracker);
  if (!tracker.aborted && isNoted(crawl)) await noteParsed(crawl, batchId);
  return tracker.report();
}
