import { hostOf, isSameOrigin, ownDomainOf } from '../../url/index.js';
import type { ScopedCrawl } from '../context.js';

/** Why a crawl may not follow a link. `external`: the target is on another site. `excluded`: the patterns of the scope exclude the target. */
type OutOfScope = 'external' | 'excluded';

/**
 * Decides whether a crawl may follow a link or redirect, by `db.ignoreExternalLinks` and the scope of the crawl. Returns undefined if it
 * may. Both URLs are normalised.
 * @param isSitemap whether the target was named as a sitemap
 */
export function outOfScope(
  crawl: Pick<ScopedCrawl, 'settings' | 'scope'>,
  from: string,
  to: string,
  isSitemap = false,
): OutOfScope | undefined {
  if (leavesSite(crawl, from, to) || crawl.scope.isOutside(to, isSitemap)) return 'external';
  return crawl.scope.excludes(to, isSitemap) === undefined ? undefined : 'excluded';
}

/** Whether `db.ignoreExternalLinks` forbids a link. It forbids links to other sites than the site of the page and the sites of the seeds. */
function leavesSite(crawl: Pick<ScopedCrawl, 'settings' | 'scope'>, from: string, to: string): boolean {
  const { ignoreExternalLinks, ignoreExternalLinksMode } = crawl.settings.db;
  if (!ignoreExternalLinks || isSameOrigin(from, to)) return false;
  const [source, target] = [hostOf(from), hostOf(to)];
  if (source === target) return false;
  if (ignoreExternalLinksMode === 'domain' && ownDomainOf(source) === ownDomainOf(target)) return false;
  return !crawl.scope.isOnSeedSite(to);
}
