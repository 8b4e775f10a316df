import { domainOf, hostOf, isSameOrigin } from '../../url/index.js';
import type { CrawlContext } from '../context.js';

/** Why a crawl may not go from one page to another: another site (`external`), or the patterns of its scope (`excluded`). */
export type OutOfScope = 'external' | 'excluded';

/**
 * Whether `db.ignoreExternalLinks`, or the scope of the crawl, forbids going from one page to another; undefined where
 * neither does. Both URLs are normalised.
 * @param isSitemap the target was named as a sitemap
 */
export function outOfScope(
  crawl: Pick<CrawlContext, 'settings' | 'scope'>,
  from: string,
  to: string,
  isSitemap = false,
): OutOfScope | undefined {
  if (leavesSite(crawl, from, to) || crawl.scope?.isOutside(to, isSitemap)) return 'external';
  return crawl.scope?.excludes(to, isSitemap) === undefined ? undefined : 'excluded';
}

function leavesSite(crawl: Pick<CrawlContext, 'settings'>, from: string, to: string): boolean {
  const { ignoreExternalLinks, ignoreExternalLinksMode } = crawl.settings.db;
  if (!ignoreExternalLinks || isSameOrigin(from, to)) return false;
  const [source, target] = [hostOf(from), hostOf(to)];
  if (source === target) return false;
  return ignoreExternalLinksMode === 'host' || domainOf(source) !== domainOf(target);
}
