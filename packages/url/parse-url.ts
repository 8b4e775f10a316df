import { CrawlError, safeText } from '../errors/index.js';
import { tryParseUrl } from './try-parse-url.js';

/** `localhost:8080` would be a URL of the scheme `localhost`. */
const HOST_AND_PORT = /^\s*[\w.-]+:\d{1,5}(?:\/|\s*$)/;

/**
 * Parses an absolute URL by the WHATWG URL Standard, which also removes white space around it. The fragment is removed, so that `href` is
 * exactly the URL in the table.
 * @throws CrawlError BAD_URL for text that is not an absolute URL, for a scheme other than http and https, and for a URL with user name or
 * password. The message never contains user name and password
 */
export function parseUrl(text: string): URL {
  const url = tryParseUrl(text);
  if (!url || HOST_AND_PORT.test(text)) {
    throw new CrawlError('BAD_URL', `"${safeText(text)}" is not an absolute URL, such as https://example.com/`);
  }
  const flaw = flawOf(url);
  if (flaw !== null) throw new CrawlError('BAD_URL', flaw);
  return withoutFragment(url);
}

/** Returns why the table cannot hold a URL; null if it can. */
export function flawOf(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `only http and https URLs can be crawled, not ${safeText(url.protocol, 40)}`;
  }
  if (url.username !== '' || url.password !== '') {
    return `the URL for ${safeText(url.host)} has a user name or password`;
  }
  return null;
}

/** Removes the fragment of a URL object. Returns the same object. */
export function withoutFragment(url: URL): URL {
  if (url.href.includes('#')) url.hash = '';
  return url;
}
