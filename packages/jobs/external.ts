import { domainOf, hostOf } from '../url/index.js';
import type { CrawlContext } from './context.js';

/** Whether `db.ignoreExternalLinks` forbids going from one page to another. Both URLs are normalised. */
export function leavesSite(crawl: Pick<CrawlContext, 'settings'>, from: string, to: string): boolean {
  const { ignoreExternalLinks, ignoreExternalLinksMode } = crawl.settings.db;
  if (!ignoreExternalLinks) return false;
  const [source, target] = [hostOf(from), hostOf(to)];
  if (source === target) return false;
  return ignoreExternalLinksMode === 'host' || domainOf(source) !== domainOf(target);
}
