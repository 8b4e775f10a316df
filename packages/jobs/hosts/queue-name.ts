import { groupOf } from '../../url/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { CrawlContext } from '../context.js';

/** Names the queue of a host: the host, its domain, or its IP address, according to `partition.urlMode`. */
export interface QueueNames {
  nameOf(host: string): Promise<string> | string;
}

/** Maximum number of hosts with a remembered address. The least recently used hosts are removed first. */
const MAX_ADDRESSES = 100_000;

/**
 * Makes the names of queues. By IP, each host is looked up once, and its lowest address is the name. Therefore hosts with the same
 * addresses share a queue. A host without an address has its own queue.
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
