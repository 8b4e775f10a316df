/**
 * What a body that says it is HTML really is: a feed by its root element, or HTML; the rules of the MIME Sniffing
 * Standard for a mislabelled feed.
 * @param head the first bytes, as Latin-1
 */
export function feedOrHtml(head: string): 'text/html' | 'application/rss+xml' | 'application/atom+xml' {
  let at = head.startsWith('\xef\xbb\xbf') ? 3 : 0;
  while (at < head.length) {
    while (/[\t\n\f\r ]/.test(head.charAt(at))) at++;
    if (head.charAt(at) !== '<') return 'text/html';
    const end = endOfAside(head, at + 1);
    if (end === undefined) break;
    if (end === -1) return 'text/html';
    at = end;
  }
  if (head.startsWith('<rss', at)) return 'application/rss+xml';
  if (head.startsWith('<feed', at)) return 'application/atom+xml';
  if (!head.startsWith('<rdf:RDF', at)) return 'text/html';
  const isRss =
    head.includes('http://purl.org/rss/1.0/', at) && head.includes('http://www.w3.org/1999/02/22-rdf-syntax-ns#', at);
  return isRss ? 'application/rss+xml' : 'text/html';
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
