import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { createSchedule } from './guarded-schedule.js';

/** Seconds: a sitemap is of use as long as it is fresh, and one that has not changed costs little. */
export const SITEMAP_INTERVAL = 86_400;

/**
 * The fields that every new row starts with: not fetched yet, and due as the schedule says; a sitemap once a day.
 * @param isSitemap it was named as one
 */
export function newRowFields(crawl: CrawlContext, count: Count, isSitemap = false) {
  const plan = createSchedule(crawl, count).initialize(crawl.clock());
  const { dueAt, retries } = plan;
  const fetchInterval = isSitemap ? Math.min(plan.fetchInterval, SITEMAP_INTERVAL) : plan.fetchInterval;
  return {
    status: 'unfetched' as const,
    dueAt,
    fetchInterval,
    retries,
    ...(isSitemap && { sitemap: true as const }),
  };
}
