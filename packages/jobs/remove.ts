import { FRONTIER_FIELDS, chunked, hostKeyOfRow, hostOfKey, isHeld, type PageRow } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { CrawlContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { selectorOf, type PageSelection, type PageSelector, type SelectionField } from './pages/page-selection.js';
import { newBatch } from './rows/new-batch.js';
import { removeSeedHost } from './hosts/seed-hosts.js';
import { withRules } from './rules/with-rules.js';
import { createRowCounts } from './reporting/row-counts.js';
import { inAllSlots } from './shards/own-slots.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

/** What {@link remove} takes: a selection that narrows the table somehow, and what every job takes. */
export interface RemoveOptions extends JobOptions, PageSelection {
  /** true: only count what would be removed. Default: false. */
  readonly dryRun?: boolean;
}

const CONTENT_FIELDS = ['contentAt', 'contentVersions'] as const;
type Row = PageRow<SelectionField | (typeof FRONTIER_FIELDS)[number] | (typeof CONTENT_FIELDS)[number]>;
const CHUNK = 500;

/**
 * Removes rows with all they hold: links, texts, bodies (from the files with the next `compact`). What other rows say of them stays, so a removed page comes back
 * when a page that links to it is fetched again, unless a URL filter rejects it; and so does what is known of the host
 * (robots.txt, back-off). A host of which no seed is left is no seed host any more. A row that a batch holds stays, until
 * updatedb has released it, and so does one that cannot be read.
 *
 * It may be killed at any moment and run again: each row goes in one change, and the index entries that lead to it after
 * it.
 *
 * Counters: removed, or would_remove in a dry run; held (by a batch), damaged.
 * @throws CrawlError USAGE when nothing narrows the selection, and as {@link PageSelection} says; BAD_URL; LEASE_HELD, LEASE_LOST
 */
export function remove(crawl: CrawlContext, options: RemoveOptions): Promise<Report> {
  if (options.dryRun) return removeSelected(crawl, options);
  return inAllSlots(crawl, 'remove', options, removeSelected);
}

async function removeSelected(crawl: CrawlContext, options: RemoveOptions): Promise<Report> {
  const selector = selectorOf(await withRules(crawl), options);
  if (selector.isWhole) {
    throw new CrawlError('USAGE', 'expected a selection of pages to remove, found none', {
      hint: 'name a host, a domain, a prefix, a status, a code or a time; to be rid of a whole table, delete its folder',
    });
  }
  const tracker = createTracker(crawl, 'remove', options);
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

/** The rows that are selected, and those of which nobody knows because they cannot be read. */
async function* candidates({ tables }: CrawlContext, selector: PageSelector): AsyncGenerator<Row> {
  const { ranges, matches } = selector;
  for await (const row of tables.pages.scan({ fields: fieldsOf(selector), ...(ranges && { ranges }) })) {
    if (row.damaged || matches(row)) yield row;
  }
}

/** The rows that may go; the others are counted. */
function removable(rows: readonly Row[], tracker: Tracker): Row[] {
  return rows.filter((row) => {
    const reason = whyKept(row);
    if (reason) tracker.count(reason);
    return !reason;
  });
}

/** Why a row may not go; undefined for one that may. */
function whyKept(row: Row): 'damaged' | 'held' | undefined {
  if (row.damaged) return 'damaged';
  return isHeld(row) ? 'held' : undefined;
}

/** A row may have changed since it was found. */
async function removeChunk(
  { tables, clock }: CrawlContext,
  selector: PageSelector,
  found: readonly Row[],
  notice: Notice,
  tracker: Tracker,
): Promise<void> {
  const keys = found.map(({ key }) => key);
  /** What goes with the rows that are chosen: of one that somebody else has changed meanwhile only the last choice counts. */
  const chosen = new Map<string, Row>();
  await notice.give(keys);
  const counts = createRowCounts(tracker.count);
  await tables.removeRows(keys, fieldsOf(selector), clock(), (rows, left) =>
    rows.map((row, i) => {
      const key = left[i]!;
      const count = counts.of(key);
      chosen.delete(key);
      if (!row || !(row.damaged || selector.matches(row))) return false;
      const reason = whyKept(row);
      count(reason ?? 'removed');
      if (reason === undefined) chosen.set(key, row);
      return reason === undefined;
    }),
  );
  counts.end();
  const removed = [...chosen.values()];
  await tables.content.discard(
    removed.flatMap(({ contentAt, contentVersions = [] }) => [...(contentAt ? [contentAt] : []), ...contentVersions]),
  );
  const seedHosts = new Set(removed.flatMap(({ key, marks }) => (marks?.inject ? [hostKeyOfRow(key)] : [])));
  for (const host of seedHosts) await removeSeedHost(tables, host);
}

type Notice = ReturnType<typeof createNotice>;

/**
 * Lets the consumers of updated batches find the rows that are removed, by a batch of its own that holds none of them. While they are
 * removed it is one that is being updated: where this job is killed, updatedb closes it.
 */
function createNotice(crawl: CrawlContext) {
  const { runs, batches, slots } = crawl.tables;
  let batchId: string | undefined;
  let consumers: readonly string[] | undefined;
  return {
    /** Call it before they are removed. A row that stays is only looked at once more. */
    async give(keys: readonly string[]): Promise<void> {
      consumers ??= await runs.consumers();
      if (consumers.length === 0) return;
      batchId ??= await newBatch(crawl, { state: 'updating', consumers });
      const entries = keys.map((rowKey) => {
        const queue = hostOfKey(hostKeyOfRow(rowKey));
        return { rowKey, queue, slot: slots.ofQueue(queue), place: `${queue}|${rowKey}` };
      });
      await batches.keepUpdated(batchId, entries);
    },
    async end(): Promise<void> {
      if (batchId === undefined || !consumers) return;
      const state = { size: 0, state: 'updated', consumers } as const;
      await batches.advance(batchId, ['updating'], () => state);
    },
  };
}
