import type { Plugin } from '../plugin-api/index.js';
import { isPlainUrl, parseUrl } from '../url/index.js';

/** An escape, or a character that RFC 3986 allows neither in a path nor in a query, a `%` without two digits included. */
const TO_REWRITE = /%[0-9a-f]{2}|[^\w\-.~!$&'()*+,;=:@/?]/gi;
const UNRESERVED = /[\w\-.~]/;
const DOT_AFTER_HOST = /^(https?:\/\/[^/:]*[^/:.])\.(?=[/:])/;

/**
 * Gives URLs that mean the same one form, beyond what parsing by the WHATWG URL Standard does (lower-case ASCII host,
 * no default port, no `.` and `..` segments however they are escaped, non-ASCII escaped as UTF-8):
 *
 * - escapes of unreserved characters are undone (`%7E` is `~`), the others have upper-case digits (`%2f` is `%2F`);
 * - what RFC 3986 does not allow in paths and queries is escaped: `|` is `%7C`, a `%` that escapes nothing is `%25`;
 * - the fragment and one dot after the host (`example.com.`) are dropped.
 *
 * Doing it twice changes nothing. An empty query (`/a?`) stays: the regex rules decide on it.
 */
export function basicUrlNormalizer(): Plugin {
  return {
    name: 'urlnormalizer-basic',
    version: '1',
    normalizeUrl(url) {
      if (isPlainUrl(url)) return url;
      const href = parseUrl(url).href.replace(DOT_AFTER_HOST, '$1');
      const path = href.indexOf('/', href.indexOf('://') + 3);
      return href.slice(0, path) + href.slice(path).replace(TO_REWRITE, rewrite);
    },
  };
}

function rewrite(found: string): string {
  if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const char = String.fromCharCode(Number.parseInt(found.slice(1), 16));
  return UNRESERVED.test(char) ? char : found.toUpperCase();
}
