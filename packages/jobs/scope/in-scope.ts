import type { CrawlContext } from '../context.js';
import { scopeRules, type CrawlScope } from './crawl-scope.js';
import { readScope } from './stored-scope.js';

/**
 * The context with the scope of the last crawl on its table, which the single jobs and explain keep to. A setting of the
 * same matter that was given wins. A context that has a scope already, or a table without one, is returned as it is.
 * @throws CrawlError TABLE_DAMAGED
 */
export async function inScope(crawl: CrawlContext): Promise<CrawlContext> {
  if (crawl.scope) return crawl;
  const stored = await readScope(crawl.tables);
  if (!stored) return crawl;
  const isGiven = (key: string): boolean => (crawl.settingSources?.[key]?.source ?? 'default') !== 'default';
  const { stay, depth, folders, ...patterns } = stored;
  const isSiteGiven = isGiven('db.ignoreExternalLinks') || isGiven('db.ignoreExternalLinksMode');
  const scope: CrawlScope = {
    ...patterns,
    ...(isSiteGiven ? { stay: stayOf(crawl), folders: {} } : { stay, folders }),
    ...(depth !== undefined && !isGiven('generate.maxDistance') && { depth }),
  };
  return withScope(crawl, scope);
}

/** The context with a scope. @throws CrawlError USAGE for a pattern that is wrong */
export function withScope(crawl: CrawlContext, scope: CrawlScope): CrawlContext {
  const { settings } = crawl;
  const { stay, depth = settings.generate.maxDistance } = scope;
  return {
    ...crawl,
    scope: scopeRules(scope, crawl.urlPatterns),
    settings: {
      ...settings,
      db: {
        ...settings.db,
        ignoreExternalLinks: stay !== 'any',
        ignoreExternalLinksMode: stay === 'domain' ? 'domain' : 'host',
      },
      generate: { ...settings.generate, maxDistance: depth },
    },
  };
}

function stayOf({ settings }: CrawlContext): CrawlScope['stay'] {
  return settings.db.ignoreExternalLinks ? settings.db.ignoreExternalLinksMode : 'any';
}
