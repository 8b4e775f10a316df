import { chunked, isSamePlace, type ContentLocation, type PageChange, type PageRow } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createTracker, type Tracker } from './reporting/tracker.js';
import { hold, inAllSlots } from './shards/own-slots.js';
import { withoutOtherJobs } from './rows/without-other-jobs.js';

type Row = PageRow<'contentAt' | 'contentVersions'>;
const FIELDS = ['contentAt', 'contentVersions'] as const;
const CHUNK = 500;

/**
 * Removes the bodies that no row needs: of pages that were fetched anew or removed, beyond `db.keepVersions`. What is needed
 * is copied out of each segment that holds anything else, then the rows are changed, then the segment goes; it may be killed
 * at any moment and run again. It waits for other jobs on the table, and reads the places of all bodies twice.
 * Counters: rows; copied, lost_body, segments_removed, bytes_freed.
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
export async function compact(crawl: CrawlContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'compact', options, async (own, how) => {
    const tracker = createTracker(own, 'compact', how);
    await withoutOtherJobs(own, 'compact', how, () => compactContent(own, tracker));
    return tracker.report();
  });
}

/**
 * Compacts where more than half of what is stored, and 16 MB at least, is needed by nobody; for the end of a job that holds no turn any more.
 * Of a table that many workers share it does not: that is left to a `compact` of its own.
 * @returns its counters, named `compact_…`
 */
export async function compactIfDue(
  crawl: CrawlContext,
  { signal, onProgress }: JobOptions,
): Promise<Report['counters']> {
  if (signal?.aborted || crawl.tables.isShared || !(await crawl.tables.content.isMostlyDead())) return {};
  const { watch: _, ...unwatched } = crawl;
  const { counters } = await compact(unwatched, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
  return Object.fromEntries(Object.entries(counters).map(([name, n]) => [`compact_${name}`, n]));
}

async function compactContent(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const { content, pages } = crawl.tables;
  const { keepVersions } = crawl.settings.db;
  const compaction = await content.compaction();
  for await (const row of pages.scan({ fields: FIELDS })) {
    if (tracker.aborted) return;
    compaction.note(placesOf(row, keepVersions));
  }
  if (!(await compaction.begin())) return;
  for await (const rows of chunked(pages.scan({ fields: FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    const places = rows.map((row) => placesOf(row, keepVersions));
    const moved = await compaction.move(places.flat());
    let from = 0;
    const changes = rows.flatMap((row, i) => {
      const now = moved.slice(from, (from += places[i]!.length));
      return changeOf(row, places[i]!, now, tracker);
    });
    // Somebody else writes to the table, so the old places are not known to be free.
    if (!(await writeUnchanged(crawl, rows, changes))) return;
    tracker.count('rows', rows.length);
    tracker.done(rows.length);
  }
  await hold(crawl);
  const { segments, bytes } = await compaction.finish();
  tracker.count('segments_removed', segments);
  tracker.count('bytes_freed', bytes);
}

/** The places of the bodies that a row keeps, the newest first. */
function placesOf({ contentAt, contentVersions = [] }: Row, keepVersions: number): readonly ContentLocation[] {
  return [...(contentAt ? [contentAt] : []), ...contentVersions.slice(0, keepVersions - 1)];
}

/** A body that cannot be read keeps its place in the row, which says that there was one. */
function changeOf(
  { key, contentAt, contentVersions = [] }: Row,
  before: readonly ContentLocation[],
  now: readonly (ContentLocation | undefined)[],
  { count }: Tracker,
): PageChange[] {
  count('lost_body', now.filter((place) => !place).length);
  const copied = now.filter((place, i) => place && !isSamePlace(place, before[i])).length;
  count('copied', copied);
  const places = before.map((place, i) => now[i] ?? place);
  const versions = contentAt ? places.slice(1) : places;
  if (copied === 0 && versions.length === contentVersions.length) return [];
  return [
    {
      key,
      set: {
        ...(contentAt && { contentAt: places[0]! }),
        ...(versions.length > 0 && { contentVersions: versions }),
      },
      ...(versions.length === 0 && { unset: ['contentVersions'] as const }),
    },
  ];
}

/** Changes the rows that are still as they were read; false: there were others. */
async function writeUnchanged(
  crawl: CrawlContext,
  rows: readonly Row[],
  changes: readonly PageChange[],
): Promise<boolean> {
  const { pages } = crawl.tables;
  const read = new Map(rows.map((row) => [row.key, row]));
  const keys = changes.map(({ key }) => key);
  await hold(crawl);
  const now = await pages.getMany(keys, ['contentAt']);
  const same = changes.filter(({ key }, i) => isSamePlace(now[i]?.contentAt, read.get(key)!.contentAt));
  const lost = await pages.writeUnchanged(
    same,
    same.map(({ key }) => read.get(key)!.version),
  );
  return lost.size === 0 && same.length === changes.length;
}
