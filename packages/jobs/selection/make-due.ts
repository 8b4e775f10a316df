import { chunked, isHeld, urlOf, type KeyRange } from '../../../webtable/index.js';
import type { ScopedCrawl } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import type { RulesInForce } from '../rules/rules-now.js';
import { isFetchedInFuture } from '../rows/wrong-times.js';
import { REFUSAL_FIELDS, refusalOf } from './refusal.js';

const FIELDS = [...REFUSAL_FIELDS, 'fetchedAt'] as const;
const CHUNK = 500;

/**
 * Makes pages due now if their last fetch was before a given time. It also makes pages due whose fetch time is in the future, because a
 * clock was ahead. These pages stay as they are: pages that a batch holds, pages that are already due, pages that generate would not
 * select, and pages outside the folders of the scope. All rows of the ranges are read. After a stop, the same call makes the remaining
 * pages due. Counter: made_due.
 * @param ranges absent: the whole table
 * @param since the given time, in ms since the epoch
 * @param slots the slots of the pages; absent: all slots
 */
export async function makeDue(
  crawl: ScopedCrawl,
  rules: RulesInForce,
  ranges: readonly KeyRange[] | undefined,
  since: number,
  tracker: Tracker,
  slots?: ReadonlySet<string>,
): Promise<void> {
  const { ofRow } = crawl.tables.slots;
  const rows = crawl.tables.pages.scan({ fields: ['dueAt'], ...(ranges && { ranges }) });
  for await (const found of chunked(rows, CHUNK)) {
    if (tracker.aborted) return;
    const now = crawl.clock();
    const keys = found
      .filter(({ key, dueAt = 0 }) => dueAt > now && (slots?.has(ofRow(key)) ?? true))
      .map(({ key }) => key);
    await crawl.tables.changeRows(keys, FIELDS, now, (rows) =>
      rows.map((row) => {
        if (!row || row.damaged || isHeld(row) || (row.dueAt ?? 0) <= now) return undefined;
        if ((row.fetchedAt ?? 0) >= since && !isFetchedInFuture(row, now)) return undefined;
        if (crawl.scope.isOutside(urlOf(row.key), row.sitemap) || refusalOf(crawl, rules, row)) return undefined;
        tracker.count('made_due');
        return { key: row.key, set: { dueAt: now } };
      }),
    );
  }
}
