import type { Plugin } from '../plugin-api/index.js';
import { isPlainUrl, parseUrl } from '../url/index.js';

/**
 * Matches an escape, or a character that RFC 3986 allows neither in a path nor in a query. A `%` that is not followed by two hex digits is
 * such a character.
 */
const TO_REWRITE = /%[0-9a-f]{2}|[^\w\-.~!$&'()*+,;=:@/?]/gi;
const UNRESERVED = /[\w\-.~]/;
const DOT_AFTER_HOST = /^(https?:\/\/[^/:]*[^/:.])\.(?=[/:])/;

/**
 * Gives equivalent URLs the same form. The URL was already parsed according to the WHATWG URL Standard. So the host is lower-case ASCII,
 * characters outside ASCII are escaped as UTF-8, the default port is removed, and the segments `.` and `..` are resolved, even if they are
 * escaped. This plugin does three more things:
 *
 * - escapes of unreserved characters are undone (`%7E` becomes `~`), and other escapes get upper-case digits (`%2f` becomes `%2F`);
 * - characters that RFC 3986 does not allow in paths and queries are escaped: `|` becomes `%7C`, and a `%` that is not a part of an escape
 * becomes `%25`;
 * - the fragment and one dot after the host (`example.com.`) are removed.
 *
 * If the plugin is applied twice, the second time changes nothing. An empty query (`/a?`) stays, because the regex rules decide on it.
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
