/** A sitemap or an index of sitemaps, perhaps with a prefix. */
const SITEMAP = /^<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\t\n\f\r />]/i;

/**
 * What a body that says it is HTML or text really is, where it is a feed, by the rules of the MIME Sniffing Standard for
 * a mislabelled feed, or a sitemap, by its root element in the same place.
 * @param head the first bytes, as Latin-1
 */
export function xmlForCrawlers(head: string): string | undefined {
  let at = head.startsWith('\xef\xbb\xbf') ? 3 : 0;
  while (at < head.length) {
    while (/[\t\n\f\r ]/.test(head.charAt(at))) at++;
    if (head.charAt(at) !== '<') return undefined;
    const end = endOfAside(head, at + 1);
    if (end === undefined) break;
    if (end === -1) return undefined;
    at = end;
  }
  if (head.startsWith('<rss', at)) return 'application/rss+xml';
  if (head.startsWith('<feed', at)) return 'application/atom+xml';
  if (SITEMAP.test(head.slice(at, at + 100))) return 'application/xml';
  if (!head.startsWith('<rdf:RDF', at)) return undefined;
  const isRss =
    head.includes('http://purl.org/rss/1.0/', at) && head.includes('http://www.w3.org/1999/02/22-rdf-syntax-ns#', at);
  return isRss ? 'application/rss+xml' : undefined;
}

/** Where a comment, declaration or instruction ends; -1 when it does not; undefined when there is none. */
function endOfAside(head: string, at: number): number | undefined {
  const [open, close] = head.startsWith('!--', at)
    ? ['!--', '-->']
    : head.startsWith('!', at)
      ? ['!', '>']
      : head.startsWith('?', at)
        ? ['?', '?>']
        : ['', ''];
  if (open === '') return undefined;
  const end = head.indexOf(close, at + open.length);
  return end === -1 ? -1 : end + close.length;
}
