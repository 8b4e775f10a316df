import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { createSchedule } from './guarded-schedule.js';

/** Seconds between two fetches of a sitemap. A sitemap is useful while it is fresh, and a request costs little if it is unchanged. */
export const SITEMAP_INTERVAL = 86_400;

/**
 * Returns the first fields of every new row. The schedule decides when the row is due. A sitemap is fetched at least once a day.
 * @param isSitemap whether the page was named as a sitemap
 */
export function newRowFields(crawl: CrawlContext, count: Count, isSitemap = false) {
  const now = crawl.clock();
  const plan = createSchedule(crawl, count).initialize(now);
  const { dueAt, retries } = plan;
  const fetchInterval = isSitemap ? Math.min(plan.fetchInterval, SITEMAP_INTERVAL) : plan.fetchInterval;
  return {
    status: 'unfetched' as const,
    dueAt,
    firstSeen: now,
    fetchInterval,
    retries,
    ...(isSitemap && { sitemap: true as const }),
  };
}
