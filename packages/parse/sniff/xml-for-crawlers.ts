/** What may come before the root element: white space, comments, declarations and instructions. */
const BEFORE_ROOT = /^(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]|<!--[^]*?-->|<!(?!--)[^>]*>|<\?[^]*?\?>)*/;

/** A sitemap or an index of sitemaps, perhaps with a prefix. */
const SITEMAP = /^<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\t\n\f\r />]/i;

/**
 * What a body that says it is HTML or text really is, where it is a feed, by the rules of the MIME Sniffing Standard for
 * a mislabelled feed, or a sitemap, by its root element in the same place.
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
