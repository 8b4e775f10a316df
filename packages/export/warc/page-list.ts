import { createHash } from 'node:crypto';
import { urlOf } from '../../core/index.js';
import type { ArchiveRecord, ArchiveRow } from './page-records.js';

/** The first line of a list of pages (WACZ 1.1.1, section 5.2.3). */
export const PAGES_HEAD = `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All Pages' })}\n`;

/** The line of a page in a list of pages. Undefined: the latest body is not HTML. */
export function pageLine({ key, title }: ArchiveRow, records: readonly ArchiveRecord[]): string | undefined {
  const latest = records.findLast(({ headers, isFromRow }) => !isFromRow && headers.get('warc-type') === 'response');
  if (!latest) return undefined;
  const { headers, block } = latest;
  const head = Buffer.from(block.buffer, block.byteOffset, block.length).subarray(0, 65_536).toString('latin1');
  if (!/^content-type:\s*(?:text\/html|application\/xhtml\+xml)/im.test(head.split('\r\n\r\n', 1)[0]!))
    return undefined;
  const url = urlOf(key);
  const ts = headers.get('warc-date');
  const id = createHash('sha256').update(`${url} ${ts}`).digest('hex').slice(0, 22);
  return `${JSON.stringify({ id, url, ts, ...(title && { title }) })}\n`;
}
