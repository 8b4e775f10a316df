import {
  FRONTIER_FIELDS,
  chunked,
  hostKeyOfRow,
  hostOfKey,
  isHeld,
  type PageRow,
  type CrawlContext,
  type JobContext,
  type JobSlots,
  type JobOptions,
  type Report,
  newBatch,
  removeSeedHost,
  rulesNow,
  inAllSlots,
  createTracker,
  foldInboxesOf,
  type Tracker,
} from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import { selectorOf, type PageSelection, type PageSelector, type SelectionField } from '../answers/index.js';

/** Options of {@link remove}: a selection with at least one condition, and options of the job. */
export interface RemoveOptions extends JobOptions, PageSelection {
  /** true: the selected rows are only counted. Default: false. */
  readonly dryRun?: boolean;
}

const CONTENT_FIELDS = ['contentLocation', 'textLocation', 'contentVersions'] as const;
type Row = PageRow<SelectionField | (typeof FRONTIER_FIELDS)[number] | (typeof CONTENT_FIELDS)[number]>;
const CHUNK = 500;

/**
 * Removes rows with all their data: links, texts and bodies. The next `compact` removes the bodies from the files. Links to a removed page
 * stay in other rows. If a page with such a link is fetched again, the removed page comes back, unless a URL filter rejects it. The data of
 * the host (robots.txt, back-off) stays. A host without a seed is no longer a seed host. Two kinds of rows stay: a row that a batch holds,
 * until updatedb has released it, and a row that cannot be read.
 *
 * First, remove folds the inboxes, so that links which wait there do not bring removed pages back.
 *
 * remove may be killed at any time and run again. Each row is removed in one change, and then its index entries are removed.
 *
 * Counters: `COUNTERS.remove`.
 * @throws CrawlError USAGE for a selection without conditions, and for the reasons in {@link PageSelection}; BAD_URL; LEASE_HELD,
 * LEASE_LOST
 */
export function remove(crawl: JobContext, options: RemoveOptions): Promise<Report> {
  if (options.dryRun) return removeSelected(crawl, options);
  return inAllSlots(crawl, 'remove', options, (jobSlots, how) => removeSelected(crawl, how, jobSlots));
}

/** @param jobSlots absent: the selected rows are only counted */
async function removeSelected(crawl: JobContext, options: RemoveOptions, jobSlots?: JobSlots): Promise<Report> {
  const selector = await selectorOf(crawl, await rulesNow(crawl), options);
  if (selector.isWhole) {
    throw new CrawlError('USAGE', 'expected a selection of pages to remove, found none', {
      hint: 'name a host, a domain, a prefix, a status, a code or a time; to remove a whole table, delete its folder',
    });
  }
  const tracker = createTracker(crawl, 'remove', options);
  if (jobSlots) tracker.add(await foldInboxesOf(crawl, jobSlots, tracker), 'fold_');
  const notice = createNotice(crawl);
  for await (const rows of chunked(candidates(crawl, selector), CHUNK)) {
    if (tracker.aborted) break;
    if (options.dryRun) tracker.count('would_remove', removable(rows, tracker).length);
    else await removeChunk(crawl, selector, rows, notice, tracker);
    tracker.done(rows.length);
  }
  await notice.end();
  return tracker.report();
}

const fieldsOf = ({ fields }: PageSelector) => [...FRONTIER_FIELDS, ...CONTENT_FIELDS, ...fields];

/** Yields the selected rows. A row that cannot be read is included, because it may be selected. */
async function* candidates({ tables }: CrawlContext, selector: PageSelector): AsyncGenerator<Row> {
  const { ranges, matches } = selector;
  for await (const row of tables.pages.scan({ fields: fieldsOf(selector), ...(ranges && { ranges }) })) {
    if (row.damaged || matches(row)) yield row;
  }
}

function removable(rows: readonly Row[], tracker: Tracker): Row[] {
  return rows.filter((row) => {
    const reason = whyKept(row);
    if (reason) tracker.count(reason);
    return !reason;
  });
}

function whyKept(row: Row): 'damaged' | 'held' | undefined {
  if (row.damaged) return 'damaged';
  return isHeld(row) ? 'held' : undefined;
}

/** Removes some of the selected rows. Each row is checked again, because it may have changed after it was selected. */
async function removeChunk(
  { tables, clock }: CrawlContext,
  selector: PageSelector,
  found: readonly Row[],
  notice: Notice,
  tracker: Tracker,
): Promise<void> {
  const keys = found.map(({ key }) => key);
  const removed: Row[] = [];
  await notice.give(keys);
  await tables.removeRows(keys, fieldsOf(selector), clock(), (rows) =>
    rows.map((row) => {
      if (!row || !(row.damaged || selector.matches(row))) return false;
      const reason = whyKept(row);
      tracker.count(reason ?? 'removed');
      if (reason === undefined) removed.push(row);
      return reason === undefined;
    }),
  );
  await tables.content.discard(
    removed.flatMap(({ contentLocation, textLocation, contentVersions = [] }) =>
      [contentLocation, textLocation, ...contentVersions].filter((place) => place !== undefined),
    ),
  );
  const seedHosts = new Set(removed.flatMap(({ key, marks }) => (marks?.inject ? [hostKeyOfRow(key)] : [])));
  for (const host of seedHosts) await removeSeedHost(tables, host);
}

type Notice = ReturnType<typeof createNotice>;

/**
 * Tells the consumers of updated batches which rows were removed. It does so with a special batch, which has index entries of these rows
 * but does not hold the rows. During the removal the batch has the state `updating`. So if this job is killed, updatedb closes the batch.
 */
function createNotice(crawl: CrawlContext) {
  const { runs, batches } = crawl.tables;
  let batchId: string | undefined;
  let consumers: readonly string[] | undefined;
  return {
    /** Adds rows to the batch. Call it before the rows are removed. If a row stays, consumers only read it once more. */
    async give(keys: readonly string[]): Promise<void> {
      consumers ??= await runs.consumers();
      if (consumers.length === 0) return;
      batchId ??= await newBatch(crawl, { state: 'updating', consumers });
      const rows = keys.map((rowKey) => ({ rowKey, queue: hostOfKey(hostKeyOfRow(rowKey)) }));
      await batches.keepUpdated(batchId, rows);
    },
    async end(): Promise<void> {
      if (batchId === undefined || !consumers) return;
      const state = { size: 0, state: 'updated', consumers } as const;
      await batches.advance(batchId, ['updating'], () => state);
    },
  };
}
