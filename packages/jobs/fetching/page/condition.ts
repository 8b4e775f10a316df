import type { FetchRequest } from '../../../plugin-api/index.js';
import type { JobRun } from '../../context.js';
import type { FetchItem } from '../fetch-item.js';

/**
 * Returns the date and tag of the stored copy, for a conditional request. The copy must be parsed, and updatedb must have added its links.
 * If bodies are stored at all, the copy must have a stored body. This body is read and checked only after an answer "not modified".
 */
export async function conditionOf(
  crawl: JobRun,
  { contentLocation, signature, newSignature, parseStatus, protocolStatus, hasLostBody }: FetchItem,
): Promise<Pick<FetchRequest, 'ifModifiedSince' | 'ifNoneMatch'>> {
  const { lastModified, etag } = protocolStatus ?? {};
  if (hasLostBody || (lastModified === undefined && etag === undefined)) return {};
  if (signature === undefined || newSignature !== undefined || parseStatus?.code !== 'success') return {};
  if (crawl.settings.fetcher.storeContent && !(contentLocation && (await crawl.tables.content.has(contentLocation))))
    return {};
  return {
    ...(lastModified !== undefined && { ifModifiedSince: lastModified }),
    ...(etag !== undefined && { ifNoneMatch: etag }),
  };
}

/** Whether the stored body of a page can be read and has the right checksum. True if bodies are not stored. */
export async function hasWholeBody({ settings, tables }: JobRun, { key }: FetchItem): Promise<boolean> {
  if (!settings.fetcher.storeContent) return true;
  return (await tables.pages.get(key, ['content']))?.content !== undefined;
}
