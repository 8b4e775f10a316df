import { urlOf, type PageRow, type StoredRecord } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { PageContent } from '../parsing/parse-page.js';

/** A stored body of a page, with the headers of its response. */
export type StoredVersion = PageContent & { readonly content: Uint8Array };

/**
 * Returns the newest stored body of a page whose time is accepted. Undefined: there is none.
 * @param isWanted gets the time when the body was fetched, in ms since the epoch
 */
export async function storedVersion(
  { tables: { content } }: Pick<CrawlContext, 'tables'>,
  { key, contentLocation, contentVersions = [] }: PageRow<'contentLocation' | 'contentVersions'>,
  isWanted: (fetchedAt: number) => boolean,
): Promise<StoredVersion | undefined> {
  const places = [...(contentLocation ? [contentLocation] : []), ...contentVersions];
  const records = await content.records(places);
  const at = records.findIndex((record) => record && isWanted(Date.parse(record.headers.get('warc-date') ?? '')));
  const [place, record] = [places[at], records[at]];
  if (!place || !record) return undefined;
  const [found] = await content.read([place]);
  const url = urlOf(key);
  if (found?.url !== url) return undefined;
  const headers = headersOf(record);
  const contentType = headers['content-type'] ?? '';
  return { url, content: found.body, contentType, headers, truncated: record.headers.has('warc-truncated') };
}

/** The headers of the response in a record, with names in lower case. */
function headersOf({ headers, block }: StoredRecord): Record<string, string> {
  if (headers.get('warc-type') !== 'response') return { 'content-type': headers.get('content-type') ?? '' };
  const [head = ''] = Buffer.from(block.buffer, block.byteOffset, block.length).toString('latin1').split('\r\n\r\n', 1);
  const lines = [...head.matchAll(/^([^:\r\n]+):[ \t]*([^\r\n]*)$/gm)];
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}
