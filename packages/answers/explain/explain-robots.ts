import {
  NOT_REQUESTED,
  createRobots,
  isFreshRobots,
  robotsRules,
  type RobotsLine,
  type StoredRobots,
  type ScopedCrawl,
  borrowRequests,
  createSeedHosts,
  type FetchOutcome,
  isTooLong,
  createRobotsStore,
  robotsAgents,
} from '../../core/index.js';

/** Whether robots.txt allows a URL, and the source of this answer. Texts are untrusted. */
export interface RobotsExplanation {
  /**
   * The source of the answer. `stored`: the record in the table. `fetched`: the file was fetched now. `none`: the table has no record, so
   * the verdict is unknown.
   */
  readonly source: 'stored' | 'fetched' | 'none';
  /** `unavailable`: the file cannot be fetched now, so pages are not fetched. `unknown`: the table has no record. */
  readonly verdict: 'allowed' | 'denied' | 'unavailable' | 'unknown';
  /** The line that decides whether the URL is allowed. Absent: no line matches. */
  readonly line?: RobotsLine;
  /** The Crawl-delay in seconds. */
  readonly crawlDelay?: number;
  /** Whether the Crawl-delay is longer than `fetcher.maxCrawlDelay`, so that the page is not fetched. */
  readonly delayTooLong?: boolean;
  /** When the file was fetched, in ms since the epoch. */
  readonly fetchedAt?: number;
  /** Whether the record is older than a day, so that the next fetch requests the file again. */
  readonly expired?: boolean;
  /** The HTTP status of the file. With 4xx all URLs are allowed. */
  readonly status?: number;
  /** Why the file is unavailable. */
  readonly message?: string;
}

/**
 * Explains whether robots.txt allows a URL, by the record in the table. With `fetchNow`, the file is fetched and used instead, in
 * the queue of its host. The record is not changed; the table keeps only the time of the request, and a back-off.
 * @param url normalised
 */
export async function explainRobots(crawl: ScopedCrawl, url: string, fetchNow: boolean): Promise<RobotsExplanation> {
  if (!fetchNow) {
    const stored = await createRobotsStore(crawl.tables).get(new URL(url).origin);
    if (!stored) return { source: 'none', verdict: 'unknown' };
    const expired = !isFreshRobots(stored, crawl.clock());
    return { source: 'stored', ...verdictOf(crawl, stored, url), ...(expired && { expired }) };
  }
  let fetched: StoredRobots | undefined;
  await using requests = borrowRequests(crawl, { job: 'explain' });
  const seedHosts = createSeedHosts(crawl, { keep: false });
  const robots = createRobots({
    protocol: {
      schemes: ['http', 'https'],
      async fetch(request): Promise<FetchOutcome> {
        const forPerson = { allowPrivate: await seedHosts.mayBePrivate(request.url) };
        const result = await requests.request({ ...request, forPerson });
        if (result.kind === 'outcome') return result.outcome;
        return { kind: 'retry', code: 'host_backoff', message: NOT_REQUESTED[result.reason] };
      },
    },
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

function verdictOf({ settings }: ScopedCrawl, stored: StoredRobots, url: string): Omit<RobotsExplanation, 'source'> {
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
