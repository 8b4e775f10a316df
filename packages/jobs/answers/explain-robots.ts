import { createRobots, isFreshRobots, robotsRules, type RobotsLine, type StoredRobots } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';
import { robotsProtocol } from '../requests/protocol-for.js';
import { createSeedHosts } from '../hosts/seed-hosts.js';
import { isTooLong } from '../hosts/queue-delays.js';
import { createRobotsStore, robotsAgents } from '../requests/robots-files.js';

/** What robots.txt says to a URL, and where that was learnt. Texts are untrusted. */
export interface RobotsExplanation {
  /** The record in the table, a fetch made for this answer, or neither, and then nothing is known. */
  readonly source: 'stored' | 'fetched' | 'none';
  /** `unavailable`: the file is not available now, so that nothing is fetched. `unknown`: no record. */
  readonly verdict: 'allowed' | 'denied' | 'unavailable' | 'unknown';
  /** The line that decides; absent where none matches. */
  readonly line?: RobotsLine;
  /** Seconds. */
  readonly crawlDelay?: number;
  /** The Crawl-delay is beyond `fetcher.maxCrawlDelay`, so that the page is not fetched. */
  readonly delayTooLong?: boolean;
  /** When the file was fetched, in ms since the epoch. */
  readonly fetchedAt?: number;
  /** The record is older than a day, so that the next fetch asks for the file anew. */
  readonly expired?: boolean;
  /** The HTTP status of the file; with 4xx all is allowed. */
  readonly status?: number;
  /** Why it is unavailable. */
  readonly message?: string;
}

/**
 * What robots.txt says to a URL by the record in the table, or, with `fetchNow`, by the file as it is now. Neither
 * writes the record.
 * @param url normalised
 */
export async function explainRobots(crawl: CrawlContext, url: string, fetchNow: boolean): Promise<RobotsExplanation> {
  if (!fetchNow) {
    const stored = await createRobotsStore(crawl.tables).get(new URL(url).origin);
    if (!stored) return { source: 'none', verdict: 'unknown' };
    const expired = !isFreshRobots(stored, crawl.clock());
    return { source: 'stored', ...verdictOf(crawl, stored, url), ...(expired && { expired }) };
  }
  let fetched: StoredRobots | undefined;
  const robots = createRobots({
    protocol: robotsProtocol(crawl, createSeedHosts(crawl, { keep: false }), () => {}),
    agents: robotsAgents(crawl.settings),
    clock: crawl.clock,
    store: {
      get: () => Promise.resolve(undefined),
      put: async (_, robots) => void (fetched = robots),
    },
  });
  const verdict = await robots.check(url);
  if (fetched) return { source: 'fetched', ...verdictOf(crawl, fetched, url) };
  const message = verdict.kind === 'unavailable' ? verdict.message : 'robots.txt: no answer';
  return { source: 'fetched', verdict: 'unavailable', message };
}

function verdictOf({ settings }: CrawlContext, stored: StoredRobots, url: string): Omit<RobotsExplanation, 'source'> {
  const { allowed: isAllowed, crawlDelay } = robotsRules(stored, robotsAgents(settings));
  const { pathname, search } = new URL(url);
  const { allowed, line } = isAllowed(pathname + search);
  return {
    verdict: allowed ? 'allowed' : 'denied',
    ...(line && { line }),
    ...(crawlDelay !== undefined && { crawlDelay }),
    ...(isTooLong(settings.fetcher, crawlDelay) && { delayTooLong: true }),
    fetchedAt: stored.fetchedAt,
    status: stored.status,
  };
}
