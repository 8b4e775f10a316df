import { scheduleOf, type CrawlContext } from './context.js';

/** The cells that every new row starts with: not fetched yet, and due as the schedule says. */
export function newRowCells(crawl: CrawlContext) {
  const { fetchTime, fetchInterval, retries } = scheduleOf(crawl).initialize(crawl.clock());
  return { status: 'unfetched' as const, fetchTime, fetchInterval, retries };
}
