import { defined } from '../../util/index.js';
import type { CrawlContext, OnPageOption, ScopedCrawl } from '../context.js';
import { NO_SCOPE, scopeRules, type CrawlScope, type ScopeRules } from './crawl-scope.js';
import { readScope } from './stored-scope.js';

/**
 * Limits a crawl to the scope of the last crawl on the table. Single jobs and explain use it. If the caller gives a setting for the same
 * purpose, the setting takes precedence. If the table has no scope, only the settings limit the crawl.
 * @throws CrawlError TABLE_DAMAGED if the scope cannot be read
 */
export async function inScope(crawl: CrawlContext, hooks: OnPageOption = {}): Promise<ScopedCrawl> {
  const stored = await readScope(crawl.tables);
  if (!stored) return withoutScope(crawl, hooks);
  const isGiven = (key: string): boolean => (crawl.settingSources[key]?.source ?? 'default') !== 'default';
  const { stay, depth, folders, targetFolders, sites, ...patterns } = stored;
  const isSiteGiven = isGiven('db.ignoreExternalLinks') || isGiven('db.ignoreExternalLinksMode');
  const scope: CrawlScope = {
    ...patterns,
    ...(isSiteGiven ? { stay: stayOf(crawl), folders: {} } : { stay, folders, ...defined({ targetFolders, sites }) }),
    ...(depth !== undefined && !isGiven('generate.maxDistance') && { depth }),
  };
  return withScope(crawl, scope, hooks);
}

/**
 * Limits a crawl to a scope.
 * @throws CrawlError USAGE for a wrong pattern
 */
export function withScope(crawl: CrawlContext, scope: CrawlScope, hooks: OnPageOption = {}): ScopedCrawl {
  const { settings } = crawl;
  const { stay, depth = settings.generate.maxDistance } = scope;
  const limited = {
    ...settings,
    db: {
      ...settings.db,
      ignoreExternalLinks: stay !== 'any',
      ignoreExternalLinksMode: stay === 'domain' ? ('domain' as const) : ('host' as const),
    },
    generate: { ...settings.generate, maxDistance: depth },
  };
  return scoped(crawl, limited, scopeRules(scope, crawl.urlPatterns), hooks);
}

/** Returns a crawl that only its settings limit. */
export function withoutScope(crawl: CrawlContext, hooks: OnPageOption = {}): ScopedCrawl {
  return scoped(crawl, crawl.settings, NO_SCOPE, hooks);
}

function scoped(
  { settingSources: _, running: __, indexFolder: ___, ...crawl }: CrawlContext,
  settings: CrawlContext['settings'],
  scope: ScopeRules,
  { onPage }: OnPageOption,
): ScopedCrawl {
  const plugins = onPage ? [...crawl.plugins, { name: 'on-page', onPage }] : crawl.plugins;
  return { ...crawl, settings, plugins, scope };
}

function stayOf({ settings }: CrawlContext): CrawlScope['stay'] {
  return settings.db.ignoreExternalLinks ? settings.db.ignoreExternalLinksMode : 'any';
}
