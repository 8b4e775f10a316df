import type { FetchRequest } from '../../../plugin-api/index.js';
import type { JobRun } from '../../context.js';
import type { FetchItem } from '../fetch-item.js';

/**
 * Returns the date and tag of the stored copy, for a conditional request. The copy must be parsed, and updatedb must have added its links.
 * Its records must be stored: the text, and the body if bodies are stored at all. They are read and checked only after an answer
 * "not modified".
 */
export async function conditionOf(
  crawl: JobRun,
  { contentLocation, textLocation, signature, newSignature, parseStatus, protocolStatus, hasLostBody }: FetchItem,
): Promise<Pick<FetchRequest, 'ifModifiedSince' | 'ifNoneMatch'>> {
  const { lastModified, etag } = protocolStatus ?? {};
  if (hasLostBody || (lastModified === undefined && etag === undefined)) return {};
  if (signature === undefined || newSignature !== undefined || parseStatus?.code !== 'success') return {};
  for (const place of crawl.settings.fetcher.storeContent ? [contentLocation, textLocation] : [textLocation]) {
    if (!place || !(await crawl.tables.content.has(place))) return {};
  }
  return {
    ...(lastModified !== undefined && { ifModifiedSince: lastModified }),
    ...(etag !== undefined && { ifNoneMatch: etag }),
  };
}

/** Whether the stored records of a page can be read and have the right checksums: its text, and its body if bodies are stored. */
export async function hasWholeRecords({ settings, tables }: JobRun, { key }: FetchItem): Promise<boolean> {
  const { storeContent } = settings.fetcher;
  const row = await tables.pages.get(key, storeContent ? ['headers', 'content'] : ['headers']);
  return row?.headers !== undefined && (row.content !== undefined || !storeContent);
}
