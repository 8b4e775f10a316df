import { hostRange } from '../../../webtable/index.js';

/**
 * The name under which statistics are kept: `*` for those of the whole table, else the domain as row keys have it.
 * @throws CrawlError BAD_URL where it is no domain
 */
export function statisticsScopeOf(domain: string | undefined): string {
  return domain === undefined ? '*' : hostRange(domain).start.slice(0, -1);
}
