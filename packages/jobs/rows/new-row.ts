import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import type { RulesInForce } from '../rules/rules-now.js';
import { createSchedule } from './guarded-schedule.js';
import { createScoring } from './scoring-chain.js';

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

/** Returns the first fields of a row that no seed and no link creates: those of {@link newRowFields}, the first score, and the relevance. */
export function unlinkedRowFields(
  crawl: Pick<CrawlContext, 'plugins' | 'settings'>,
  rules: RulesInForce,
  count: Count,
  now: number,
  url: string,
  isSitemap?: boolean,
) {
  const { score, cash } = createScoring(rules, count).initial(url);
  return {
    ...newRowFields(crawl, count, now, isSitemap),
    score,
    cash,
    ...rules.ruleSet.relevanceFields(url),
  };
}
