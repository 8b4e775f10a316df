import { CrawlError, safeText } from '../../packages/errors/index.js';
import type { KeyRange } from '../store.js';

/**
 * Row keys put all pages of a host, and all hosts of a domain, next to each other:
 * reversed host, `:`, scheme, `:port` unless it is the default, path and query.
 *
 *     http://www.example.com/about/?q=1    com.example.www:http/about/?q=1
 *     https://example.com:8443             com.example:https:8443/
 *     http://10.0.0.1/  http://[::1]/      10.0.0.1:http/  [::1]:http/      IP addresses are not reversed
 *
 * A key is printable ASCII. No host holds a `:` but an IPv6 address, and that has brackets: so the first `:` outside of
 * them ends the host, and all keys of a host are the one range from `host:` to `host;`.
 */

/** Text that is certainly normalised already, so that it need not be parsed. It may miss some; it never takes a wrong one. */
const NORMALISED = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*\/[\w\-./~%!$&()*+,;=:@?]*$/;
const MAY_BE_REWRITTEN = /\/\.|\/%2e|xn--/i;

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const KEY = /^(\[[0-9a-f:]+\]|[!"$&'()*+,\-.0-9;=_`a-z{}~]+):(https?)(:(?:0|[1-9]\d{0,4}))?(\/[!"$-~]*)$/;

/**
 * The key of a page. The URL is normalised by the WHATWG URL Standard on the way; its fragment is dropped.
 * @throws CrawlError BAD_URL where the table cannot hold it: it is not absolute, has no host, holds a user name or
 *   password, or its scheme is not http or https
 */
export function rowKeyOf(url: string): string {
  const href = NORMALISED.test(url) && !MAY_BE_REWRITTEN.test(url) ? url : normalise(url);
  const hostStart = href.indexOf('://') + 3;
  const pathStart = href.indexOf('/', hostStart);
  const authority = href.slice(hostStart, pathStart);
  const colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
  const host = colon < 0 ? authority : authority.slice(0, colon);
  const port = colon < 0 ? '' : authority.slice(colon);
  return `${reverse(host)}:${href.slice(0, hostStart - 3)}${port}${href.slice(pathStart)}`;
}

/**
 * The URL of a row key: `rowKeyOf(urlOf(key)) === key` for every key that {@link rowKeyOf} made.
 * @throws CrawlError TABLE_DAMAGED where the text does not have the form of a row key
 */
export function urlOf(rowKey: string): string {
  const [host, scheme, port, path] = partsOf(rowKey);
  return `${scheme}://${reverse(host)}${port}${path}`;
}

/**
 * The host of a row key as it stands there, `com.example.www`: the key of the host's row in the `host` table.
 * @throws CrawlError TABLE_DAMAGED where the text does not have the form of a row key
 */
export function reversedHostOf(rowKey: string): string {
  return partsOf(rowKey)[0];
}

/**
 * All pages of one host, over all schemes and ports.
 * @throws CrawlError BAD_URL where it is not a host
 */
export function hostRange(host: string): Required<KeyRange> {
  const reversed = reverse(normaliseHost(host));
  return { start: `${reversed}:`, end: `${reversed};` };
}

/**
 * All pages of a domain and of every host below it. Two ranges, because other domains sort between them
 * (`com.example.www`, `com.example2`, `com.example:`): first the hosts below, then the domain itself.
 * @throws CrawlError BAD_URL where it is not a host
 */
export function domainRanges(domain: string): [Required<KeyRange>, Required<KeyRange>] {
  const { start, end } = hostRange(domain);
  const reversed = start.slice(0, -1);
  return [
    { start: `${reversed}.`, end: `${reversed}/` },
    { start, end },
  ];
}

/**
 * All pages whose normalised URL starts with this one. A URL without a path is a whole scheme and port of a host.
 * @throws CrawlError BAD_URL as {@link rowKeyOf}
 */
export function prefixRange(url: string): Required<KeyRange> {
  const start = rowKeyOf(url);
  const last = start.length - 1;
  return { start, end: start.slice(0, last) + String.fromCharCode(start.charCodeAt(last) + 1) };
}

function normalise(url: string): string {
  let href: string;
  try {
    href = new URL(url).href;
  } catch {
    throw new CrawlError('BAD_URL', `expected an absolute URL, found "${safeText(url)}"`);
  }
  const [, authority] = /^https?:\/\/([^/]+)\//.exec(href) ?? [];
  if (authority === undefined) {
    throw new CrawlError('BAD_URL', `expected an http or https URL with a host, found "${safeText(url)}"`);
  }
  if (authority.includes('@')) {
    const host = safeText(authority.slice(authority.lastIndexOf('@') + 1));
    throw new CrawlError('BAD_URL', `expected a URL without user name and password, found one with them for ${host}`);
  }
  const fragment = href.indexOf('#');
  return fragment < 0 ? href : href.slice(0, fragment);
}

function normaliseHost(host: string): string {
  const bad = () => new CrawlError('BAD_URL', `expected a host name or IP address, found "${safeText(host)}"`);
  const brackets = host.startsWith('[');
  if (/[/\\?#@\s]/.test(host) || (!brackets && host.includes(':')) || (brackets && !host.endsWith(']'))) throw bad();
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    throw bad();
  }
}

/** Its own inverse, empty labels included: `example.com.` is `.com.example`. */
function reverse(host: string): string {
  if (IPV4.test(host)) return host;
  let reversed = '';
  let end = host.length;
  for (let dot = host.lastIndexOf('.'); dot >= 0; dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1)) {
    reversed += `${host.slice(dot + 1, end)}.`;
    end = dot;
  }
  return reversed + host.slice(0, end);
}

function partsOf(rowKey: string): [host: string, scheme: string, port: string, path: string] {
  const parts = KEY.exec(rowKey);
  if (!parts) throw new CrawlError('TABLE_DAMAGED', `expected a row key, found "${safeText(rowKey)}"`);
  return [parts[1] ?? '', parts[2] ?? '', parts[3] ?? '', parts[4] ?? ''];
}
