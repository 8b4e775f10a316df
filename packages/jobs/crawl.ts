import type { CrawlContext } from './context.js';
import { crawlRounds } from './crawl-rounds.js';
import { inject, type InjectOptions } from './inject.js';
import type { JobOptions, Report } from './job.js';
import { createTracker } from './tracker.js';

/** What {@link crawl} takes: seeds, and limits on how far it goes. */
export interface CrawlOptions extends JobOptions, Pick<InjectOptions, 'seeds' | 'onRejected'> {
  /** Rounds at the most, one after another: generate, fetch with parse, updatedb. Absent: until nothing is due. */
  readonly rounds?: number;
  /** Pages per round at the most. Absent: all that are due, or where rounds overlap what is asked for within half a minute. */
  readonly topN?: number;
  /** Pages selected over all rounds at the most; targets of redirects that are followed come on top. */
  readonly maxPages?: number;
  /** Links from a seed at the most. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /**
   * How far links may lead: within the host of each page, within its domain, or anywhere. Where a seed itself redirects
   * to is followed in any case. Default: host.
   */
  readonly stay?: 'host' | 'domain' | 'any';
  /** Requests in flight at the most. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/**
 * Injects seeds and crawls until nothing in the table is due, a limit is reached, or a round could fetch nothing. Rounds
 * overlap, unless `rounds` or `depth` limits them: while one is fetched, the links of the one before are added and the next is
 * selected; and a round that waits for few slow hosts goes on without them. Batches that a killed crawl left open are
 * finished first, so that the same call goes on where it stopped. No other fetch runs on the table meanwhile.
 * Counters: rounds; those of inject and of fetch with parse; added, not_added and plugin_error_<name> of updatedb; and
 * generate_<why> for what the last generate passed over.
 */
export async function crawl(given: CrawlContext, options: CrawlOptions): Promise<Report> {
  const context = withLimits(given, options);
  const tracker = createTracker({ clock: given.clock }, 'crawl', { ...(options.signal && { signal: options.signal }) });
  const { seeds, signal, onProgress, onRejected } = options;
  const injected = await inject(
    { ...context, ...(given.watch && { watch: given.watch }) },
    {
      seeds,
      ...(signal && { signal }),
      ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, round: 0 }) }),
      ...(onRejected && { onRejected }),
    },
  );
  for (const [reason, n] of Object.entries(injected.counters)) tracker.count(reason, n);
  if (!tracker.aborted)
    await context.table.exclusive('fetch', () => crawlRounds(context, options, tracker, given.watch));
  return tracker.report();
}

function withLimits(crawl: CrawlContext, { stay = 'host', depth }: CrawlOptions): CrawlContext {
  const { settings } = crawl;
  // What its parts do is told by the crawl as one.
  const { watch: _, ...context } = crawl;
  return {
    ...context,
    settings: {
      ...settings,
      db: {
        ...settings.db,
        ignoreExternalLinks: stay !== 'any',
        ignoreExternalLinksMode: stay === 'domain' ? 'domain' : 'host',
      },
      generate: { ...settings.generate, maxDistance: depth ?? settings.generate.maxDistance },
    },
  };
}
