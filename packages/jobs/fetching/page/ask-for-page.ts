import type { FetchOutcome, FetchRequest } from '../../../plugin-api/index.js';
import type { CrawlContext } from '../../context.js';
import { request } from '../../requests/protocol-for.js';
import type { FetchItem, FetchRun } from '../fetch-item.js';

/** Requests a page. If a copy of the page is stored, its date and tag are sent as a condition, see {@link conditionOf}. */
export async function askForPage(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  url: string,
  contentLimit: number,
): Promise<FetchOutcome> {
  const allowPrivate = await run.seedHosts.mayBePrivate(url, run.giveUp);
  const condition = await conditionOf(crawl, item);
  const outcome = await run.backoff.ask(url, () =>
    request(crawl, {
      url,
      signal: run.giveUp,
      ...(contentLimit !== crawl.settings.http.contentLimit && { contentLimit }),
      ...(allowPrivate && { allowPrivate }),
      ...condition,
    }),
  );
  run.proxy.note(outcome);
  if (
    outcome.kind !== 'notmodified' ||
    condition.ifModifiedSince !== undefined ||
    condition.ifNoneMatch !== undefined
  ) {
    return outcome;
  }
  // The request had no condition, so the row may lack data of the page. If this answer counted as "not modified", the row would never get
  // this data.
  return {
    ...outcome,
    kind: 'retry',
    code: 'http_error',
    message: 'the answer is "not modified", but the request had no condition',
  };
}

/**
 * Returns the date and tag of the stored copy, for a conditional request. The copy must be parsed, and updatedb must have added its links.
 * If bodies are stored at all, the copy must have a stored body. This body is read and checked only after an answer "not modified".
 */
async function conditionOf(
  crawl: CrawlContext,
  { contentAt, signature, newSignature, parseStatus, protocolStatus, hasLostBody }: FetchItem,
): Promise<Pick<FetchRequest, 'ifModifiedSince' | 'ifNoneMatch'>> {
  const { lastModified, etag } = protocolStatus ?? {};
  if (hasLostBody || (lastModified === undefined && etag === undefined)) return {};
  if (signature === undefined || newSignature !== undefined || parseStatus?.code !== 'success') return {};
  if (crawl.settings.fetcher.storeContent && !(contentAt && (await crawl.tables.content.has(contentAt)))) return {};
  return {
    ...(lastModified !== undefined && { ifModifiedSince: lastModified }),
    ...(etag !== undefined && { ifNoneMatch: etag }),
  };
}

/** Whether the stored body of a page can be read and has the right checksum. True if bodies are not stored. */
export async function hasWholeBody({ settings, tables }: CrawlContext, { key }: FetchItem): Promise<boolean> {
  if (!settings.fetcher.storeContent) return true;
  return (await tables.pages.get(key, ['content']))?.content !== undefined;
}
