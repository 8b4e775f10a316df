import { parseUrl } from './parse-url.js';
import { PLAIN_HOST } from './plain-url.js';

/** Matches a normalised URL whose host is a plain name or an IPv4 address. Other URLs must be parsed. */
const PLAIN = new RegExp(`^https?://(${PLAIN_HOST})(?::\\d+)?/`);

/**
 * Returns the host of a URL in lower-case ASCII, without port. An IPv6 address is in brackets.
 * @param url absolute and normalised
 * @throws CrawlError BAD_URL if {@link parseUrl} refuses it
 */
export function hostOf(url: string): string {
  return PLAIN.exec(url)?.[1] ?? parseUrl(url).hostname;
}

/** Returns the host of a URL. Returns undefined if the URL has no host. A plugin may return such a URL as the target of a redirect. */
export function hostIfAny(url: string): string | undefined {
  try {
    return hostOf(url);
  } catch {
    return undefined;
  }
}

/**
 * Returns the origin of a URL, such as `https://example.com:8443`, without creating a `URL` object.
 * @param url absolute and normalised
 */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2));
}
