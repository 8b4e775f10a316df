import { decodeText } from '../charset/charset.js';
import { prescanXml } from '../charset/meta-prescan.js';
import { rootName } from './xml-reader.js';

export function isGzip(content: Uint8Array): boolean {
  return content[0] === 0x1f && content[1] === 0x8b && content[2] === 8;
}

/** A licence or a style sheet may come before the root element. */
const SNIFFED_BYTES = 65_536;

const ROOTS: ReadonlySet<string> = new Set(['urlset', 'sitemapindex', 'rss', 'rdf', 'rdf:rdf', 'feed']);

/**
 * Finds the media type of a document that was named as a sitemap. Only the content decides, because servers declare many different types
 * for sitemaps. The result is `application/gzip`; `application/xml` for a sitemap, an index or a feed; or `text/plain` for a list of
 * URLs. Undefined: the document is of another type.
 */
export function sniffSitemap(content: Uint8Array): string | undefined {
  if (isGzip(content)) return 'application/gzip';
  const text = decodeText(content.subarray(0, SNIFFED_BYTES), undefined, 'windows-1252', prescanXml).text.trimStart();
  if (/^https?:\/\/[^\s<]+(?:\s|$)/i.test(text)) return 'text/plain';
  const root = text.startsWith('<') ? rootName(text, () => false) : undefined;
  return root !== undefined && ROOTS.has(root) ? 'application/xml' : undefined;
}
