import { rowKeyOf, urlOf, type BatchEntry, type BatchHeader, type Outlink } from '../../webtable/index.js';
import { batchRows, mustNameBatch, overBatches, type BatchOptions, type BatchRow } from './rows/batch-rows.js';
import type { CrawlContext } from './context.js';
import type { Report } from './reporting/job.js';
import { hintsOf } from './parsing/link-hints.js';
import { addLinks, createLinkSlice, type LinkSlice } from './linking/link-slice.js';
import { RESCHEDULE_FIELDS, reschedule } from './rows/reschedule.js';
import { createScoring, scoringReads, type Scoring } from './rows/scoring-chain.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

/** Rows read at a time together with their links, of which each may have `db.maxOutlinksPerPage`. */
const SOURCE_CHUNK = 20;
const SOURCE_FIELDS = [
  'status',
  'cashInFlight',
  'distance',
  'redirectDepth',
  'redirectTarget',
  'outlinks',
  'sitemap',
] as const;
type Source = BatchRow<(typeof SOURCE_FIELDS)[number] | 'title' | 'text'>['row'];

/**
 * Closes a batch: adds the links of the pages it fetched to the rows they lead to, making rows that are new, then
 * plans the next fetch of each of its own rows and releases them. Pages that were not fetched stay due.
 *
 * The order is what makes it safe to kill and run again: every linked row is written before the first own row is
 * released. Each linked row notes the last source whose links it has, so that nothing is added twice. Memory is
 * bounded by `db.updateMaxLinksInMemory`.
 *
 * Counters: `COUNTERS.updatedb`.
 * @throws CrawlError UNKNOWN_BATCH
 */
export async function updatedb(crawl: CrawlContext, options: BatchOptions): Promise<Report> {
  return (await updateAndCount(crawl, options)).report;
}

/** What {@link updateAndCount} did. */
export interface Update {
  readonly report: Report;
  /** Own rows that were released, with an outcome and without. */
  readonly released: { readonly fetched: number; readonly notFetched: number };
}

/** The same, for a crawl, which goes by the rows that were released. */
export async function updateAndCount(crawl: CrawlContext, options: BatchOptions): Promise<Update> {
  mustNameBatch(options);
  const released = { fetched: 0, notFetched: 0 };
  const report = await overBatches(crawl, 'updatedb', options, (batch) =>
    crawl.tables.exclusive('updatedb', () => updateBatch(crawl, batch, options, released)),
  );
  return { report, released };
}

type Released = { fetched: number; notFetched: number };

async function updateBatch(
  crawl: CrawlContext,
  batch: BatchHeader,
  options: BatchOptions,
  released: Released,
): Promise<Report> {
  const { batches, runs } = crawl.tables;
  const tracker = createTracker(crawl, 'updatedb', options, { batchId: batch.batchId, total: batch.size });
  // A batch that was not begun on can still be fetched.
  if (tracker.aborted) return tracker.report();
  const { batchId, size } = batch;
  let consumers = batch.consumers ?? [];
  if (batch.state !== 'closing') {
    await batches.advance(batchId, ['open', 'linking'], () => ({ size, state: 'linking' }));
    if (!(await linkRows(crawl, batchId, tracker))) return tracker.report();
    consumers = await runs.consumers();
    await batches.advance(batchId, ['linking'], () => ({ size, state: 'closing', consumers }));
  }
  if (!(await releaseRows(crawl, batchId, consumers, tracker, released))) return tracker.report();
  await batches.clear(batchId);
  await batches.advance(batchId, ['closing'], () =>
    consumers.length > 0 ? { size, state: 'updated', consumers } : { size, state: 'closed' },
  );
  return tracker.report();
}

/** @returns false when the job was ended before all links were added */
async function linkRows(crawl: CrawlContext, batchId: string, tracker: Tracker): Promise<boolean> {
  const openIds = new Set((await crawl.tables.batches.list()).map((batch) => batch.batchId));
  const scoring = createScoring(crawl, tracker.count);
  const limit = crawl.settings.db.updateMaxLinksInMemory;
  const fields = [...SOURCE_FIELDS, ...scoringReads(crawl)];
  let slice = createLinkSlice(batchId);
  for await (const rows of batchRows(crawl, batchId, fields, SOURCE_CHUNK, tracker.count)) {
    if (tracker.aborted) return false;
    for (const { row, entry } of rows) {
      collectLinks(scoring, slice, row, entry);
      if (slice.links < limit) continue;
      await addLinks(crawl, slice, openIds, tracker);
      slice = createLinkSlice(batchId);
    }
  }
  await addLinks(crawl, slice, openIds, tracker);
  return true;
}

/** The links that a row hands on: those of a page that was parsed in this batch, or the target of a redirect. */
function collectLinks(scoring: Scoring, slice: LinkSlice, row: Source, entry: BatchEntry): void {
  if (row.marks?.fetch !== slice.batchId) return;
  const isRedirect = row.status === 'redir_perm' || row.status === 'redir_temp';
  let links: readonly Outlink[] = [];
  if (isRedirect && row.redirectTarget !== undefined) {
    links = [{ url: row.redirectTarget, anchor: '', ...(row.sitemap && { sitemap: true }) }];
  }
  if (row.status === 'fetched' && row.marks.parse === slice.batchId) links = row.outlinks ?? [];
  if (links.length === 0) return;

  const targets = links.map((link) => link.url);
  const { title = '', text = '' } = isRedirect ? {} : row;
  const anchors = links.map((link) => link.anchor);
  const scores = scoring.distribute(urlOf(row.key), targets, row.cashInFlight ?? 0, { anchors, title, text });
  for (const [i, link] of links.entries()) {
    slice.add(rowKeyOf(link.url), {
      source: row.key,
      entry,
      anchor: link.anchor,
      score: scores[i] ?? 0,
      distance: row.distance === undefined ? Infinity : row.distance + (isRedirect ? 0 : 1),
      hints: hintsOf(link),
      sitemap: link.sitemap,
      redirectDepth: isRedirect ? (row.redirectDepth ?? 0) + 1 : 0,
    });
  }
}

/** @returns false when the job was ended before all rows were released */
async function releaseRows(
  crawl: CrawlContext,
  batchId: string,
  consumers: readonly string[],
  tracker: Tracker,
  released: Released,
): Promise<boolean> {
  const { tables, clock } = crawl;
  for await (const entries of tables.batches.entries(batchId)) {
    if (tracker.aborted) return false;
    const updated = new Set<string>();
    const keys = entries.map(({ rowKey }) => rowKey);
    await tables.changeRows(keys, RESCHEDULE_FIELDS, clock(), async (rows) => {
      const changes = rows.map((row) => {
        if (row?.damaged) tracker.count('damaged');
        if (!row || row.damaged || row.marks?.generate !== batchId) return undefined;
        if (row.marks.fetch === batchId) {
          updated.add(row.key);
          released.fetched += 1;
        } else {
          released.notFetched += 1;
        }
        return reschedule(crawl, row, batchId, tracker.count);
      });
      // Before the rows: one that was released before a kill is not looked at again.
      const kept = consumers.length > 0 ? entries.filter(({ rowKey }) => updated.has(rowKey)) : [];
      await tables.batches.keepUpdated(batchId, kept);
      return changes;
    });
    await tables.batches.remove(batchId, entries);
    tracker.done(entries.length);
  }
  return true;
}
