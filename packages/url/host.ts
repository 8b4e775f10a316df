import { parseUrl } from './parse-url.js';
import { PLAIN_HOST } from './plain-url.js';

/** A normalised URL whose host is a plain name or an IPv4 address; the rest is parsed. */
const PLAIN = new RegExp(`^https?://(${PLAIN_HOST})(?::\\d+)?/`);

/**
 * The host of a URL: lower-case ASCII, without port, IPv6 in brackets.
 * @param url absolute and normalised
 * @throws CrawlError BAD_URL where {@link parseUrl} refuses it
 */
export function hostOf(url: string): string {
  return PLAIN.exec(url)?.[1] ?? parseUrl(url).hostname;
}
