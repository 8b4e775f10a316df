import { chunked, isHeld, urlOf, type KeyRange } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { createRowCounts } from '../reporting/row-counts.js';
import type { Tracker } from '../reporting/tracker.js';
import { REFUSAL_FIELDS, refusalOf } from './refusal.js';

const FIELDS = [...REFUSAL_FIELDS, 'fetchedAt'] as const;
const CHUNK = 500;

/**
 * Makes pages due at once that were last fetched before a moment. Pages that a batch holds, that are due already, or that
 * generate would not select are left as they are, and so are those outside of the folders of the scope. It reads the rows
 * of the ranges. Ended half-way, the same call goes on.
 * Counter: made_due.
 * @param ranges absent: the whole table
 * @param since ms since the epoch
 */
export async function makeDue(
  crawl: CrawlContext,
  ranges: readonly KeyRange[] | undefined,
  since: number,
  tracker: Tracker,
): Promise<void> {
  const rows = crawl.tables.pages.scan({ fields: ['dueAt'], ...(ranges && { ranges }) });
  for await (const found of chunked(rows, CHUNK)) {
    if (tracker.aborted) return;
    const now = crawl.clock();
    const keys = found.filter(({ dueAt = 0 }) => dueAt > now).map(({ key }) => key);
    const counts = createRowCounts(tracker.count);
    await crawl.tables.changeRows(keys, FIELDS, now, (rows, left) =>
      rows.map((row, i) => {
        const count = counts.of(left[i]!);
        if (!row || row.damaged || isHeld(row) || (row.dueAt ?? 0) <= now || (row.fetchedAt ?? 0) >= since)
          return undefined;
        if (crawl.scope?.isOutside(urlOf(row.key), row.sitemap) || refusalOf(crawl, row)) return undefined;
        count('made_due');
        return { key: row.key, set: { dueAt: now } };
      }),
    );
    counts.end();
  }
}
