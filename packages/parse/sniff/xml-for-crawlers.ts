/** Content that may precede the root element: white space, comments, declarations and instructions. */
const BEFORE_ROOT = /^(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]|<!--[^]*?-->|<!(?!--)[^>]*>|<\?[^]*?\?>)*/;

/** Matches the start of a sitemap or of a sitemap index. The name may have a prefix. */
const SITEMAP = /^<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\t\n\f\r />]/i;

/**
 * Finds the real type of a feed or a sitemap that is declared as HTML or text. A feed is recognised by the rules of the MIME Sniffing
 * Standard for mislabelled feeds. A sitemap is recognised in the same way, by its root element. Undefined: the body is neither of these.
 * @param head the first bytes, as Latin-1
 */
export function xmlForCrawlers(head: string): string | undefined {
  const root = head.replace(BEFORE_ROOT, '');
  if (root.startsWith('<rss')) return 'application/rss+xml';
  if (root.startsWith('<feed')) return 'application/atom+xml';
  if (SITEMAP.test(root.slice(0, 100))) return 'application/xml';
  const isRss =
    root.startsWith('<rdf:RDF') &&
    root.includes('http://purl.org/rss/1.0/') &&
    root.includes('http://www.w3.org/1999/02/22-rdf-syntax-ns#');
  return isRss ? 'application/rss+xml' : undefined;
}
