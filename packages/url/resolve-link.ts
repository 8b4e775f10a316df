import { flawOf, withoutFragment } from './parse-url.js';
import { isPlainUrl } from './plain-url.js';

/** A relative path, perhaps with a query, in which nothing is to be escaped and no dot segment stands but at its start. */
const PLAIN_PATH = /^(?:\.\.\/)*(?:[\w-][\w\-.~]*\/)*[\w-][\w\-.~]*(?:\?[\w\-.~&=/]*)?$/;

/**
 * The absolute URL that a link leads to, as a browser resolves it, without its fragment. null where it leads to nothing
 * that a crawl can fetch: broken URLs, other schemes (`mailto:`, `javascript:`), URLs with user name or password.
 * @param base absolute; where it is not, no link resolves
 */
export function resolveLink(href: string, base: string): string | null {
  let url: URL;
  try {
    url = new URL(href, base);
  } catch {
    return null;
  }
  return flawOf(url) === null ? withoutFragment(url).href : null;
}

/** {@link resolveLink} for many links of one page; most need no parser. */
export function linkResolver(base: string): (href: string) => string | null {
  if (!isPlainUrl(base)) return (href) => resolveLink(href, base);
  const root = base.indexOf('/', base.indexOf('://') + 3);
  const path = base.split('?', 1)[0]!;
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return (href) => {
    if (!PLAIN_PATH.test(href)) return resolveLink(href, base);
    let end = directory.length;
    let start = 0;
    for (; href.startsWith('../', start); start += 3) end = Math.max(root, directory.lastIndexOf('/', end - 2)) + 1;
    return directory.slice(0, end) + href.slice(start);
  };
}
