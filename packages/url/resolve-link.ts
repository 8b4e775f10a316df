import { parseUrl } from './parse-url.js';

/**
 * The absolute URL that a link leads to, as a browser resolves it, without its fragment. null where it leads to nothing
 * that a crawl can fetch: broken URLs, other schemes (`mailto:`, `javascript:`), URLs with user name or password.
 * @param base absolute; where it is not, only absolute links resolve
 */
export function resolveLink(href: string, base: string): string | null {
  try {
    return parseUrl(new URL(href, URL.canParse(base) ? base : undefined).href).href;
  } catch {
    return null;
  }
}
