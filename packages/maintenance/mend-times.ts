import {
  chunked,
  isHeld,
  type CrawlContext,
  type Tracker,
  WRONG_TIME_FIELDS,
  hasWrongTime,
  isFetchedInFuture,
} from '../core/index.js';

const CHUNK = 500;

/**
 * Finds rows with times that were written by a clock that was ahead, and makes these rows due. Their next fetch then writes the right
 * times. If a batch holds a row, the row stays as it is, because updatedb computes new times. It reads all rows. Counter: wrong_time.
 */
export async function mendTimes(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  const now = crawl.clock();
  for await (const found of chunked(crawl.tables.pages.scan({ fields: WRONG_TIME_FIELDS }), CHUNK)) {
    if (tracker.aborted) return;
    const keys = found.filter((row) => hasWrongTime(crawl, row, now)).map(({ key }) => key);
    if (keys.length === 0) continue;
    await crawl.tables.changeRows(keys, WRONG_TIME_FIELDS, now, (rows) =>
      rows.map((row) => {
        if (!row || row.damaged || isHeld(row) || !hasWrongTime(crawl, row, now)) return undefined;
        tracker.count('wrong_time');
        return { key: row.key, set: { dueAt: now, ...(isFetchedInFuture(row, now) && { fetchedAt: now }) } };
      }),
    );
  }
}
