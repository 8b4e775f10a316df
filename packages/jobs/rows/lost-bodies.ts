import { chunked, isBodyLost, isHeld, type KeyRange, type PageRow } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { createRowCounts } from '../reporting/row-counts.js';
import type { Tracker } from '../reporting/tracker.js';

const CHUNK = 100;

/**
 * Makes every page due whose body was stored and cannot be read any more, as after a power failure: fetch then asks for
 * a new copy, whatever tag the old one had. A row that a batch holds is left to that batch, and one that is not content
 * any more would bring none; both are only counted. It reads every body, unless bodies are not kept.
 * Counters: lost_body, and of these lost_body_due (made due now).
 * @param ranges the rows that are read; absent: all
 */
export async function makeLostBodiesDue(
  crawl: CrawlContext,
  tracker: Tracker,
  ranges?: readonly KeyRange[],
): Promise<void> {
  if (!crawl.settings.fetcher.storeContent) return;
  const now = crawl.clock();
  for await (const keys of chunked(rowsWithLostBody(crawl, ranges), CHUNK)) {
    if (tracker.aborted) return;
    tracker.count('lost_body', keys.length);
    const counts = createRowCounts(tracker.count);
    await crawl.tables.changeRows(keys, ['status', 'protocolStatus'], now, (rows, left) =>
      rows.map((row, i) => {
        const count = counts.of(left[i]!);
        const isContent = row?.status === 'fetched' || row?.status === 'notmodified';
        if (!row || !isContent || isHeld(row) || (row.dueAt ?? 0) <= now) return undefined;
        count('lost_body_due');
        return { key: row.key, set: { dueAt: now, ...withoutTag(row) } };
      }),
    );
    counts.end();
  }
}

/** With the tag of the copy that is lost, the server would say that nothing has changed. */
function withoutTag({ protocolStatus }: PageRow<'protocolStatus'>): Pick<PageRow<'protocolStatus'>, 'protocolStatus'> {
  if (!protocolStatus) return {};
  const { etag: _, lastModified: __, ...rest } = protocolStatus;
  return { protocolStatus: rest };
}

async function* rowsWithLostBody(
  { tables }: CrawlContext,
  ranges: readonly KeyRange[] | undefined,
): AsyncGenerator<string> {
  const rows = tables.pages.scan({ fields: ['content'], ...(ranges && { ranges }) });
  for await (const row of rows) if (isBodyLost(row)) yield row.key;
}
