import { hostRange } from '../../core/index.js';

/**
 * Returns the name of statistics in the table: `*` for the whole table, else the domain as in row keys.
 * @throws CrawlError BAD_URL for a wrong domain
 */
export function statisticsScopeOf(domain: string | undefined): string {
  return domain === undefined ? '*' : hostRange(domain).start.slice(0, -1);
}
