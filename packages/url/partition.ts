import { CrawlError } from '../errors/index.js';
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

/**
 * The partition of a group, from 0 to `partitions` - 1. Stable for ever and on every machine: the hash is that of
 * Java's `String.hashCode` with the sign bit cleared, as Apache Nutch has it, so both partition alike.
 * @throws CrawlError BAD_SETTING where `partitions` is not a whole number above 0
 */
export function partitionOf(group: string, partitions: number): number {
  if (!Number.isSafeInteger(partitions) || partitions < 1) {
    throw new CrawlError('BAD_SETTING', `expected a whole number of partitions above 0, found ${partitions}`);
  }
  let hash = 0;
  for (let i = 0; i < group.length; i++) hash = (Math.imul(hash, 31) + group.charCodeAt(i)) | 0;
  return (hash & 0x7fffffff) % partitions;
}
