import { flawOf, withoutFragment } from './parse-url.js';
import { isPlainUrl } from './plain-url.js';

/** A relative path, perhaps with a query, in which nothing is to be escaped with dot segments at its start only. */
const PLAIN_PATH = /^(?:\.\.\/)*(?:[\w-][\w\-.~]*\/)*[\w-][\w\-.~]*(?:\?[\w\-.~&=/]*)?$/;

/** Escapes what is between `?` and `#` of a URL, in an encoding other than UTF-8. */
export type EncodeQuery = (query: string) => string;

/**
 * The absolute URL that a link leads to, as a browser resolves it, without its fragment. null where it leads to nothing
 * that a crawl can fetch: broken URLs, other schemes (`mailto:`, `javascript:`), URLs with user name or password.
 * @param base absolute; where it is not, no link resolves
 * @param encodeQuery for a link of a document whose queries are not in UTF-8
 */
export function resolveLink(href: string, base: string, encodeQuery?: EncodeQuery): string | null {
  let url: URL;
  try {
    url = new URL(encodeQuery ? withEncodedQuery(href, encodeQuery) : href, base);
  } catch {
    return null;
  }
  return flawOf(url) === null ? withoutFragment(url).href : null;
}

/** {@link resolveLink} for many links of one page; most need no parser. */
export function linkResolver(base: string, encodeQuery?: EncodeQuery): (href: string) => string | null {
  if (!isPlainUrl(base)) return (href) => resolveLink(href, base, encodeQuery);
  const root = base.indexOf('/', base.indexOf('://') + 3);
  const path = base.split('?', 1)[0]!;
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return (href) => {
    if (!PLAIN_PATH.test(href)) return resolveLink(href, base, encodeQuery);
    let end = directory.length;
    let start = 0;
    for (; href.startsWith('../', start); start += 3) end = Math.max(root, directory.lastIndexOf('/', end - 2)) + 1;
    return directory.slice(0, end) + href.slice(start);
  };
}

/**
 * HTML Standard, "encoding-parse a URL": the query is escaped in the encoding of the document, all else in UTF-8, which
 * the URL parser does. What this removes first, it ignores, while an encoder would escape it.
 */
function withEncodedQuery(href: string, encodeQuery: EncodeQuery): string {
  const hash = href.indexOf('#');
  const mark = href.indexOf('?');
  let end = hash === -1 ? href.length : hash;
  if (mark === -1 || mark > end) return href;
  while (hash === -1 && href.charCodeAt(end - 1) <= 0x20) end--;
  const query = href.slice(mark + 1, end).replace(/[\t\n\r]+/g, '');
  // All else is the same in every encoding.
  return /[^\x20-\x7e]/.test(query) ? href.slice(0, mark + 1) + encodeQuery(query) + href.slice(end) : href;
}
