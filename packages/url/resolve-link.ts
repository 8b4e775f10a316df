import { flawOf, withoutFragment } from './parse-url.js';

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
