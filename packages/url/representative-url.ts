import { domainOf } from './domain.js';
import { parseUrl } from './parse-url.js';

/**
 * Which end of a redirect people should see as the address of the page: `src` or `dst`, as given.
 *
 * - To another domain, or with a URL that can not be parsed: the destination.
 * - Permanent: the source where it is the root of its host, else the destination.
 * - Temporary, one of them a root: the root.
 * - Temporary within a host, neither a root: the one with fewer path segments, else the shorter, else the source.
 * - Temporary otherwise: the host with fewer labels, else the source.
 */
export function chooseRepresentativeUrl(src: string, dst: string, temporary: boolean): string {
  let from: URL;
  let to: URL;
  try {
    [from, to] = [parseUrl(src), parseUrl(dst)];
  } catch {
    return dst;
  }
  if (domainOf(from.hostname) !== domainOf(to.hostname)) return dst;
  if (!temporary) return isRoot(from) ? src : dst;
  if (isRoot(from) !== isRoot(to)) return isRoot(from) ? src : dst;

  if (isRoot(from) || from.hostname !== to.hostname) {
    return parts(to.hostname, '.') < parts(from.hostname, '.') ? dst : src;
  }
  const [fromFile, toFile] = [from.pathname + from.search, to.pathname + to.search];
  const [fromDepth, toDepth] = [parts(fromFile, '/'), parts(toFile, '/')];
  if (fromDepth !== toDepth) return toDepth < fromDepth ? dst : src;
  return toFile.length < fromFile.length ? dst : src;
}

function isRoot(url: URL): boolean {
  return url.pathname === '/' && url.search === '';
}

function parts(text: string, separator: string): number {
  return text.split(separator).filter(Boolean).length;
}
