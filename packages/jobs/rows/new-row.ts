import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { createSchedule } from './guarded-schedule.js';

/** Seconds between two fetches of a sitemap. A sitemap is useful while it is fresh, and a request costs little if it is unchanged. */
export const SITEMAP_INTERVAL = 86_400;

/**
 * Returns the first fields of every new row. The schedule decides when the row is due. A sitemap is fetched at least once a day.
 * @param now the same time as for `changeRows`, so that a row that is due at once gets its place in the queue of its host at once
 * @param isSitemap whether the page was named as a sitemap
 */
export function newRowFields(
  crawl: Pick<CrawlContext, 'plugins' | 'settings'>,
  count: Count,
  now: number,
  isSitemap = false,
) {
  const plan = createSchedule(crawl, count).initialize(now);
  const { dueAt, retries } = plan;
  const fetchInterval = isSitemap ? Math.min(plan.fetchInterval, SITEMAP_INTERVAL) : plan.fetchInterval;
  return {
    status: 'unfetched' as const,
    dueAt,
    firstSeenAt: now,
    fetchInterval,
    retries,
    ...(isSitemap && { sitemap: true as const }),
  };
}
