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

const FIELDS = ['contentLocation', 'textLocation', 'contentVersions', 'marks'] as const;
type Row = PageRow<(typeof FIELDS)[number]>;
const CHUNK = 500;

/**
 * Removes unreferenced records: bodies and texts of removed pages, earlier texts, and earlier bodies beyond `db.keepVersions`. If a segment
 * has an unreferenced record, its other records are copied, then the rows are changed, and then the segment is removed. compact may be
 * killed at any time and run again. It waits until no other job runs on the table, and reads the locations of all records twice. It also
 * removes entries of the change log that are older than `db.changesKeptDays`. Counters: `COUNTERS.compact`.
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
  const removed = await tables.changes.removeBefore(clock() - settings.db.changesKeptDays * DAY);
  tracker.count('changes_removed', removed);
}

async function compactContent(crawl: CrawlContext, jobSlots: JobSlots, tracker: Tracker): Promise<void> {
  const { content, pages } = crawl.tables;
  const { keepVersions } = crawl.settings.db;
  const compaction = await content.compaction();
  for await (const row of pages.scan({ fields: FIELDS })) {
    if (tracker.aborted) return;
    compaction.note([...bodiesOf(row, keepVersions), ...textOf(row)]);
  }
  if (!(await compaction.begin())) return;
  for await (const rows of chunked(pages.scan({ fields: FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    // The texts are behind the bodies, so that texts of adjacent rows can be read together.
    const locations = rows.flatMap((row) => bodiesOf(row, keepVersions)).concat(rows.flatMap(textOf));
    const moved = await compaction.move(locations);
    const now = new Map(locations.map((place, i) => [place, moved[i]]));
    const changes = rows.flatMap((row) => changeOf(row, bodiesOf(row, keepVersions), now, tracker));
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

/** The locations of the bodies that a row keeps, the newest first. */
function bodiesOf({ contentLocation, contentVersions = [] }: Row, keepVersions: number): readonly ContentLocation[] {
  return [...(contentLocation ? [contentLocation] : []), ...contentVersions.slice(0, keepVersions - 1)];
}

function textOf({ textLocation }: Row): readonly ContentLocation[] {
  return textLocation ? [textLocation] : [];
}

/**
 * Returns the change of a row after its records were copied. If a record cannot be read, the row keeps the old location, because it shows
 * that there was a record.
 * @param now the new location of each record that can be read
 */
function changeOf(
  row: Row,
  bodies: readonly ContentLocation[],
  now: ReadonlyMap<ContentLocation, ContentLocation | undefined>,
  { count }: Tracker,
): PageChange[] {
  const places = [...bodies, ...textOf(row)];
  count('lost_body', places.filter((place) => !now.get(place)).length);
  const copied = places.filter((place) => now.get(place) && !isSameLocation(now.get(place), place)).length;
  count('copied', copied);
  const { key, contentLocation, textLocation, contentVersions = [] } = row;
  const versions = bodies.slice(contentLocation ? 1 : 0).map((place) => now.get(place) ?? place);
  if (copied === 0 && versions.length === contentVersions.length) return [];
  return [
    {
      key,
      set: {
        ...(contentLocation && { contentLocation: now.get(contentLocation) ?? contentLocation }),
        ...(textLocation && { textLocation: now.get(textLocation) ?? textLocation }),
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
