import { domainOf } from './domain.js';
import { hostOf } from './host.js';

type GroupMode = 'host' | 'domain';

/**
 * Returns the group of a page: its host, or its registrable domain as in {@link domainOf}.
 * @param urlOrHost a normalised URL, or a host from {@link hostOf}
 * @throws CrawlError BAD_URL for a URL that is not http or https
 */
export function groupOf(urlOrHost: string, mode: GroupMode): string {
  const host = urlOrHost.includes('/') ? hostOf(urlOrHost) : urlOrHost;
  return mode === 'host' ? host : domainOf(host);
}
