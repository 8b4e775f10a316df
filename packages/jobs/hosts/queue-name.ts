import { groupOf } from '../../url/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { CrawlContext } from '../context.js';

/** Names the queue of a host: the host, its domain, or its IP address, as `partition.urlMode` says. */
export interface QueueNames {
  nameOf(host: string): Promise<string> | string;
}

/** Hosts whose address is remembered; the least recently asked are forgotten first. */
const MAX_ADDRESSES = 100_000;

/**
 * By IP, a host is looked up once and the lowest of its addresses counts, so that hosts that share a set of addresses
 * share a queue. A host without an address is a queue of its own.
 */
export function createQueueNames(crawl: Pick<CrawlContext, 'settings' | 'lookup'>): QueueNames {
  const mode = crawl.settings.partition.urlMode;
  if (mode !== 'ip') return { nameOf: (host) => groupOf(host, mode) };

  const addresses = createBoundedCache<string>(MAX_ADDRESSES);
  return {
    async nameOf(host) {
      let name = addresses.get(host);
      if (name === undefined) {
        name = await lowestAddress(host);
        addresses.set(host, name, 1);
      }
      return name;
    },
  };

  async function lowestAddress(host: string): Promise<string> {
    try {
      const found = await crawl.lookup(host.replace(/^\[|\]$/g, ''));
      return [...found].sort()[0] ?? host;
    } catch {
      return host;
    }
  }
}
