import { CrawlError, safeText } from '../../packages/errors/index.js';
import { isPlainUrl, parseUrl } from '../../packages/url/index.js';
import { hostKeyOf, hostOfKey, rowsOfHost, type HostKey } from './host-key.js';
import type { KeyRange } from '../store.js';

/**
 * Row keys put all pages of a host, and all hosts of a domain, next to each other. A key consists of the reversed host, `:`, the scheme,
 * `:port` unless it is the default, the path and the query.
 *
 *     http://www.example.com/about/?q=1    com.example.www:http/about/?q=1
 *     https://example.com:8443             com.example:https:8443/
 *     http://10.0.0.1/  http://[::1]/      10.0.0.1:http/  [::1]:http/      IP addresses are not reversed
 *
 * A key is printable ASCII. Among hosts, only an IPv6 address contains a `:`, and it is in brackets. So the first `:` outside brackets ends
 * the host. All keys of a host are in one range, from `host:` to `host;`.
 */

const KEY = /^(\[[0-9a-f:]+\]|[!"$&'()*+,\-.0-9;=_`a-z{}~]+):(https?)(:(?:0|[1-9]\d{0,4}))?(\/[!"$-~]*)$/;

/**
 * The key of a page. The URL is normalised by the WHATWG URL Standard, and its fragment is removed.
 * @throws CrawlError BAD_URL if the URL is not absolute, has no host, has a user name or password, or its scheme is not http or https
 */
export function rowKeyOf(url: string): string {
  const href = isPlainUrl(url) ? url : parseUrl(url).href;
  const hostStart = href.indexOf('://') + 3;
  const pathStart = href.indexOf('/', hostStart);
  const authority = href.slice(hostStart, pathStart);
  const colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
  const host = colon < 0 ? authority : authority.slice(0, colon);
  const port = colon < 0 ? '' : authority.slice(colon);
  return `${hostKeyOf(host)}:${href.slice(0, hostStart - 3)}${port}${href.slice(pathStart)}`;
}

/** The row key of a URL; undefined for a URL that no row can have. */
export function tryRowKeyOf(url: string): string | undefined {
  try {
    return rowKeyOf(url);
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_URL') return undefined;
    throw error;
  }
}

/**
 * The URL of a row key: `rowKeyOf(urlOf(key)) === key` for every key that {@link rowKeyOf} made.
 * @throws CrawlError TABLE_DAMAGED if the text does not have the form of a row key
 */
export function urlOf(rowKey: string): string {
  const [host, scheme, port, path] = partsOf(rowKey);
  return `${scheme}://${hostOfKey(host as HostKey)}${port}${path}`;
}

/**
 * All pages of one host, over all schemes and ports.
 * @throws CrawlError BAD_URL if the text is not a host
 */
export function hostRange(host: string): Required<KeyRange> {
  return rowsOfHost(hostKeyOf(normaliseHost(host)));
}

/**
 * Returns the ranges of all pages of a domain and of every host below it. There are two ranges: first the hosts below, then the domain
 * itself. Other domains sort between them, as `com.example2` between `com.example.www` and `com.example:`.
 * @throws CrawlError BAD_URL if the text is not a host
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
 * Returns the range of all pages whose normalised URL starts with this URL. A URL without a path stands for all pages of a host with this
 * scheme and port.
 * @throws CrawlError BAD_URL like {@link rowKeyOf}
 */
export function prefixRange(url: string): Required<KeyRange> {
  const start = rowKeyOf(url);
  const last = start.length - 1;
  return { start, end: start.slice(0, last) + String.fromCharCode(start.charCodeAt(last) + 1) };
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

function partsOf(rowKey: string): [host: string, scheme: string, port: string, path: string] {
  const parts = KEY.exec(rowKey);
  if (!parts) throw new CrawlError('TABLE_DAMAGED', `expected a row key, found "${safeText(rowKey)}"`);
  return [parts[1] ?? '', parts[2] ?? '', parts[3] ?? '', parts[4] ?? ''];
}
