import { hostKeyOf, type BackoffRecord, type CrawlContext, type HostKey } from '../core/index.js';
import { delayInForce } from './delay.js';
import type { HostRobots, HostState } from './figures.js';
import { createRobotsReader, type OriginRobots } from './robots-of.js';

export interface HostOrigins {
  readonly host: string;
  readonly origins: ReadonlyMap<string, number>;
  readonly meanMs: number | undefined;
}

/** Makes a reader of the figures that are not from rows: robots.txt, the delay in force, and the back-off. It makes no requests. */
export function createHostStates(crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>) {
  const robots = createRobotsReader(crawl);
  return async (hosts: readonly HostOrigins[]): Promise<HostState[]> => {
    const now = crawl.clock();
    const keys = hosts.map(({ host }) => hostKeyOf(host));
    const backoffs = await crawl.tables.hosts.backoff.get(keys satisfies HostKey[]);
    const all = hosts.flatMap(({ origins }) => [...origins.keys()]);
    const found = new Map((await robots(all)).map((each, i) => [all[i]!, each]));
    return hosts.map(({ origins, meanMs }, i) => stateOf(crawl, { origins, meanMs, found, backoff: backoffs[i], now }));
  };
}

interface Known extends Pick<HostOrigins, 'origins' | 'meanMs'> {
  readonly found: ReadonlyMap<string, OriginRobots | undefined>;
  readonly backoff: BackoffRecord | undefined;
  readonly now: number;
}

function stateOf(
  { settings }: Pick<CrawlContext, 'settings'>,
  { origins, meanMs, found, backoff, now }: Known,
): HostState {
  const delays = [...origins.keys()].flatMap((origin) => found.get(origin)?.rules.crawlDelay ?? []);
  const crawlDelay = delays.length > 0 ? Math.max(...delays) : undefined;
  let main: string | undefined;
  for (const [origin, pages] of origins) if (main === undefined || pages > origins.get(main)!) main = origin;
  return {
    delay: delayInForce(settings.fetcher, crawlDelay, meanMs),
    inBackoff: backoff && backoff.until > now ? 1 : 0,
    ...(main !== undefined && { robots: robotsOf(main, found.get(main), crawlDelay) }),
    ...(backoff && { backoff }),
  };
}

function robotsOf(origin: string, found: OriginRobots | undefined, crawlDelay: number | undefined): HostRobots {
  if (!found) return { origin, verdict: 'unknown', ...(crawlDelay !== undefined && { crawlDelay }) };
  const { stored, rules, isExpired } = found;
  const verdict = stored.body === undefined ? 'absent' : rules.allowed('/').allowed ? 'allows' : 'denies';
  return {
    origin,
    verdict,
    fetchedAt: stored.fetchedAt,
    status: stored.status,
    ...(isExpired && { expired: true }),
    ...(crawlDelay !== undefined && { crawlDelay }),
  };
}
