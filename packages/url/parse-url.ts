import { CrawlError, safeText } from '../errors/index.js';

/**
 * Parses an absolute URL by the WHATWG URL Standard, which also trims it. The fragment is dropped, so that `href` is
 * exactly the URL that the table holds.
 * @throws CrawlError BAD_URL for text that is no absolute URL, for a scheme other than http and https, and for a URL
 *   with user name or password; these are never part of the message
 */
export function parseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new CrawlError('BAD_URL', `expected an absolute URL, found "${safeText(text)}"`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = safeText(url.protocol.slice(0, -1), 40);
    throw new CrawlError('BAD_URL', `expected an http or https URL, found one of scheme "${scheme}"`);
  }
  if (url.username !== '' || url.password !== '') {
    const host = safeText(url.host);
    throw new CrawlError('BAD_URL', `expected a URL without user name and password, found one with them for ${host}`);
  }
  if (url.href.includes('#')) url.hash = '';
  return url;
}
