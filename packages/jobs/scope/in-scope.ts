import { defined } from '../../util/index.js';
import type { CrawlContext } from '../context.js';
import { scopeRules, type CrawlScope } from './crawl-scope.js';
import { readScope } from './stored-scope.js';

/**
 * Returns the context with the scope of the last crawl on the table. Single jobs and explain use it. If the caller gives a setting for the
 * same purpose, the setting takes precedence. A context that already has a scope is returned unchanged. If the table has no scope, the
 * context is also returned unchanged.
 * @throws CrawlError TABLE_DAMAGED if the scope cannot be read
 */
export async function inScope(crawl: CrawlContext): Promise<CrawlContext> {
  if (crawl.scope) return crawl;
  const stored = await readScope(crawl.tables);
  if (!stored) return crawl;
  const isGiven = (key: string): boolean => (crawl.settingSources?.[key]?.source ?? 'default') !== 'default';
  const { stay, depth, folders, targetFolders, sites, ...patterns } = stored;
  const isSiteGiven = isGiven('db.ignoreExternalLinks') || isGiven('db.ignoreExternalLinksMode');
  const scope: CrawlScope = {
    ...patterns,
    ...(isSiteGiven ? { stay: stayOf(crawl), folders: {} } : { stay, folders, ...defined({ targetFolders, sites }) }),
    ...(depth !== undefined && !isGiven('generate.maxDistance') && { depth }),
  };
  return withScope(crawl, scope);
}

/**
 * Returns the context with a scope.
 * @throws CrawlError USAGE for a wrong pattern
 */
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
