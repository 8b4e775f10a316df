import { domainOf } from './domain.js';
import { hostOf } from './host.js';

/** What pages are taken together by, for caps, partitions and politeness. */
export type GroupMode = 'host' | 'domain';

/**
 * The group of a page: its host, or its registrable domain as {@link domainOf} gives it.
 * @param urlOrHost a normalised URL, or a host as {@link hostOf} gives it
 * @throws CrawlError BAD_URL where it is a URL that is not http or https
 */
export function groupOf(urlOrHost: string, mode: GroupMode): string {
  const host = urlOrHost.includes('/') ? hostOf(urlOrHost) : urlOrHost;
  return mode === 'host' ? host : domainOf(host);
}
