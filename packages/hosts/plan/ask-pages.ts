import {
  backoffVerdict,
  createBoundedCache,
  createQueueNames,
  createSetAside,
  hostKeyOfRow,
  hostOfKey,
  isTooLong,
  originOf,
  protocolFor,
  urlOf,
  type ScopedCrawl,
  type HostKey,
} from '../../core/index.js';
import { createRobotsReader } from '../robots-of.js';
import type { PlannedPage } from './queue-loads.js';

export type AskedPage = Pick<PlannedPage, 'queue' | 'outcome' | 'needsRobots' | 'crawlDelay'>;

interface HostNow {
  readonly queue: string;
  readonly isSetAside: boolean;
  /** The outcome of all pages of the host, if the host gets no requests. */
  readonly failure?: string;
  /** The earliest time of a request, in ms since the epoch. */
  readonly from: number;
}

const MAX_HOSTS = 20_000;

/**
 * Makes functions that tell what a fetch would do with pages now. They use the back-off of hosts, the protocols, and the stored robots.txt.
 * They send no request to a host. Only if queues are by IP, they look up the names of hosts in the DNS.
 */
export function createAsking(crawl: ScopedCrawl) {
  const now = crawl.clock();
  const queues = createQueueNames(crawl);
  const isSetAside = createSetAside(crawl, now);
  const robotsOf = createRobotsReader(crawl);
  const hosts = createBoundedCache<HostNow>(MAX_HOSTS);

  async function hostNow(key: HostKey): Promise<HostNow> {
    let found = hosts.get(key);
    if (!found) {
      const [record] = await crawl.tables.hosts.backoff.get([key]);
      const left = record && record.since <= now ? record.until - now : 0;
      const hasFailed = record && backoffVerdict(crawl.settings, record, left) === 'failed';
      found = {
        queue: await queues.nameOf(hostOfKey(key)),
        isSetAside: await isSetAside(key),
        ...(hasFailed && { failure: record.code }),
        from: now + Math.max(0, left),
      };
      hosts.set(key, found);
    }
    return found;
  }

  return {
    hostNow: (rowKey: string): Promise<HostNow> => hostNow(hostKeyOfRow(rowKey)),
    /** Returns what a fetch would do with each page, in the order of the pages. */
    async ask(rowKeys: readonly string[]): Promise<AskedPage[]> {
      const urls = rowKeys.map(urlOf);
      const origins = urls.map(originOf);
      const robots = await robotsOf(origins);
      const asked: AskedPage[] = [];
      for (const [i, url] of urls.entries()) {
        const { queue, failure } = await hostNow(hostKeyOfRow(rowKeys[i]!));
        asked.push({ queue, ...verdictOf(crawl, url, origins[i]!, failure, robots[i]) });
      }
      return asked;
    },
  };
}

function verdictOf(
  crawl: ScopedCrawl,
  url: string,
  origin: string,
  failure: string | undefined,
  robots: Awaited<ReturnType<ReturnType<typeof createRobotsReader>>>[number],
): Omit<AskedPage, 'queue'> {
  if (!protocolFor(crawl, url)) return { outcome: 'unsupported_scheme' };
  if (failure !== undefined) return { outcome: failure };
  if (!robots || robots.isExpired) return { needsRobots: origin };
  const { pathname, search } = new URL(url);
  const { crawlDelay, allowed } = robots.rules;
  if (!allowed(pathname + search).allowed) return { outcome: 'robots_denied' };
  if (isTooLong(crawl.settings.fetcher, crawlDelay)) return { outcome: 'crawl_delay_too_long' };
  return crawlDelay === undefined ? {} : { crawlDelay };
}
