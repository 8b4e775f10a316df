import { chunked, isBodyLost, isHeld, type PageRow, type CrawlContext, type Tracker } from '../core/index.js';

const CHUNK = 100;

/**
 * Makes pages due whose stored body can no longer be read, for example after a power failure. fetch then requests each page without the tag
 * of the lost copy. Two kinds of rows are only counted: rows that a batch holds, and rows without content, because a fetch would give them
 * no new body. It reads every body. If bodies are not stored, it does nothing. Counters: lost_body; lost_body_due for pages that were made
 * due.
 */
export async function makeLostBodiesDue(crawl: CrawlContext, tracker: Tracker): Promise<void> {
  if (!crawl.settings.fetcher.storeContent) return;
  const now = crawl.clock();
  for await (const keys of chunked(rowsWithLostBody(crawl), CHUNK)) {
    if (tracker.aborted) return;
    tracker.count('lost_body', keys.length);
    await crawl.tables.changeRows(keys, ['status', 'protocolStatus'], now, (rows) =>
      rows.map((row) => {
        const isContent = row?.status === 'fetched' || row?.status === 'notmodified';
        if (!row || !isContent || isHeld(row) || (row.dueAt ?? 0) <= now) return undefined;
        tracker.count('lost_body_due');
        return { key: row.key, set: { dueAt: now, ...withoutTag(row) } };
      }),
    );
  }
}

/** Removes the tag and the date of the lost copy. With them, the server would answer that the page has not changed. */
function withoutTag({ protocolStatus }: PageRow<'protocolStatus'>): Pick<PageRow<'protocolStatus'>, 'protocolStatus'> {
  if (!protocolStatus) return {};
  const { etag: _, lastModified: __, ...rest } = protocolStatus;
  return { protocolStatus: rest };
}

async function* rowsWithLostBody({ tables }: CrawlContext): AsyncGenerator<string> {
  for await (const row of tables.pages.scan({ fields: ['content'] })) if (isBodyLost(row)) yield row.key;
}
