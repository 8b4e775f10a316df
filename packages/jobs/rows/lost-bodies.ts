import { FRONTIER_FIELDS, chunked, isBodyLost, writeIndexed, type PageRow } from '../../../webtable/index.js';
import { frontierClock, type CrawlContext } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';

const FIELDS = [...FRONTIER_FIELDS, 'status', 'protocolStatus', 'content'] as const;
type Row = PageRow<(typeof FIELDS)[number]>;
const CHUNK = 100;

/**
 * Makes every page due whose body was stored and cannot be read any more, as after a power failure: fetch then asks for
 * a new copy, whatever tag the old one had. A row that a batch holds is left to that batch, and one that is not content
 * any more would bring none; both are only counted. It reads every body, unless bodies are not kept.
 * Counters: lost_body, and of these lost_body_due (made due now).
 */
export async function makeLostBodiesDue(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  if (!crawl.settings.fetcher.storeContent) return;
  const now = crawl.clock();
  for await (const rows of chunked(rowsWithLostBody(crawl), CHUNK)) {
    if (tracker.aborted) return;
    tracker.count('lost_body', rows.length);
    const early = rows.filter(({ status, marks, dueAt = 0 }) => {
      return (status === 'fetched' || status === 'notmodified') && marks?.generate === undefined && dueAt > now;
    });
    await writeIndexed(
      crawl.table,
      early.map((row) => ({ before: row, change: { key: row.key, set: { dueAt: now, ...withoutTag(row) } } })),
      frontierClock(crawl),
    );
    tracker.count('lost_body_due', early.length);
  }
}

/** With the tag of the copy that is lost, the server would say that nothing has changed. */
function withoutTag({ protocolStatus }: Row): Pick<Row, 'protocolStatus'> {
  if (!protocolStatus) return {};
  const { etag: _, lastModified: __, ...rest } = protocolStatus;
  return { protocolStatus: rest };
}

async function* rowsWithLostBody({ table }: CrawlContext): AsyncGenerator<Row> {
  for await (const row of table.scan({ fields: FIELDS })) {
    if (isBodyLost(row)) yield row;
  }
}
