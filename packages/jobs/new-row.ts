import type { Count } from './counters.js';
import type { CrawlContext } from './context.js';
import { createSchedule } from './schedule.js';

/** The cells that every new row starts with: not fetched yet, and due as the schedule says. */
export function newRowCells(crawl: CrawlContext, count: Count) {
  const { fetchTime, fetchInterval, retries } = createSchedule(crawl, count).initialize(crawl.clock());
  return { status: 'unfetched' as const, fetchTime, fetchInterval, retries };
}
