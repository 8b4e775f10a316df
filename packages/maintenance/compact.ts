import {
  chunked,
  isHeld,
  isSameLocation,
  type ContentLocation,
  type PageChange,
  type PageRow,
  type CrawlContext,
  type JobContext,
  type JobSlots,
  type JobOptions,
  type Report,
  createTracker,
  type Tracker,
  checkLeases,
  confirmSlots,
  inAllSlots,
} from '../core/index.js';
import { withoutOtherJobs } from './without-other-jobs.js';

type Row = PageRow<'contentLocation' | 'contentVersions' | 'marks'>;
const FIELDS = ['contentLocation', 'contentVersions', 'marks'] as const;
const CHUNK = 500;

/**
 * Removes unreferenced bodies: bodies of removed pages, and earlier bodies beyond `db.keepVersions`. If a segment has an unreferenced body,
 * its other bodies are copied, then the rows are changed, and then the segment is removed. compact may be killed at any time and run again.
 * It waits until no other job runs on the table, and reads the locations of all bodies twice. It also removes entries of the change log
 * that are older than `db.changesKept`. Counters: `COUNTERS.compact`.
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
export async function compact(crawl: JobContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'compact', options, async (jobSlots, how) => {
    const tracker = createTracker(crawl, 'compact', how);
    await withoutOtherJobs(crawl, () => compactContent(crawl, jobSlots, tracker));
    await forgetOldChanges(crawl, tracker);
    return tracker.report();
  });
}

const DAY = 86_400_000;

async function forgetOldChanges({ tables, settings, clock }: CrawlContext, tracker: Tracker): Promise<void> {
  if (tracker.aborted) return;
  const removed = await tables.changes.removeBefore(clock() - settings.db.changesKept * DAY);
  tracker.count('changes_removed', removed);
}

async function compactContent(crawl: CrawlContext, jobSlots: JobSlots, tracker: Tracker): Promise<void> {
  const { content, pages } = crawl.tables;
  const { keepVersions } = crawl.settings.db;
  const compaction = await content.compaction();
  for await (const row of pages.scan({ fields: FIELDS })) {
    if (tracker.aborted) return;
    compaction.note(locationsOf(row, keepVersions));
  }
  if (!(await compaction.begin())) return;
  for await (const rows of chunked(pages.scan({ fields: FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    const locations = rows.map((row) => locationsOf(row, keepVersions));
    const moved = await compaction.move(locations.flat());
    let from = 0;
    const changes = rows.flatMap((row, i) => {
      const now = moved.slice(from, (from += locations[i]!.length));
      return changeOf(row, locations[i]!, now, tracker);
    });
    await checkLeases({ jobSlots });
    await writeLocations(crawl, rows, changes);
    tracker.count('rows', rows.length);
    tracker.done(rows.length);
  }
  await confirmSlots({ jobSlots });
  const { segments, bytes } = await compaction.finish();
  tracker.count('segments_removed', segments);
  tracker.count('bytes_freed', bytes);
}

/** Returns the locations of the bodies that a row keeps. The newest body is first. */
function locationsOf({ contentLocation, contentVersions = [] }: Row, keepVersions: number): readonly ContentLocation[] {
  return [...(contentLocation ? [contentLocation] : []), ...contentVersions.slice(0, keepVersions - 1)];
}

/**
 * Returns the change of a row after its bodies were copied. If a body cannot be read, the row keeps the old location, because it shows that
 * there was a body.
 */
function changeOf(
  { key, contentLocation, contentVersions = [] }: Row,
  before: readonly ContentLocation[],
  now: readonly (ContentLocation | undefined)[],
  { count }: Tracker,
): PageChange[] {
  count('lost_body', now.filter((place) => !place).length);
  const copied = now.filter((place, i) => place && !isSameLocation(place, before[i])).length;
  count('copied', copied);
  const locations = before.map((place, i) => now[i] ?? place);
  const versions = contentLocation ? locations.slice(1) : locations;
  if (copied === 0 && versions.length === contentVersions.length) return [];
  return [
    {
      key,
      set: {
        ...(contentLocation && { contentLocation: locations[0]! }),
        ...(versions.length > 0 && { contentVersions: versions }),
      },
      ...(versions.length === 0 && { unset: ['contentVersions'] as const }),
    },
  ];
}

/**
 * Writes the new locations. Rows in a batch are written again too: a dead worker may have sent a late change of such a row, which points at a
 * body of its own.
 */
async function writeLocations(
  { tables, clock }: CrawlContext,
  rows: readonly Row[],
  changes: readonly PageChange[],
): Promise<void> {
  const changeOf = new Map(changes.map((change) => [change.key, change]));
  const concerned = rows.filter((row) => changeOf.has(row.key) || isHeld(row)).map(({ key }) => key);
  await tables.changeLockedRows(concerned, [], clock(), (found) => found.map((row) => row && changeOf.get(row.key)));
}
