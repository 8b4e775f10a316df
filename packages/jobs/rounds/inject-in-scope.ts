import { defined } from '../../util/index.js';
import type { JobContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { injectSeeds, type InjectOptions } from '../inject.js';
import type { Report } from '../reporting/job.js';
import { scopeRules, siteOf, type CrawlScope } from '../scope/crawl-scope.js';
import { createSeedList, foldersOf, redirectsOf } from '../scope/seed-list.js';
import { readScope } from '../scope/stored-scope.js';

type ScopedSeeds = InjectOptions & Pick<CrawlOptions, 'stay' | 'depth' | 'include' | 'exclude'>;

export interface InjectedInScope {
  readonly injected: Report;
  /** The scope of the crawl. It is not written to the table yet. */
  readonly scope: CrawlScope;
  /** The normalised URLs of the seeds. Empty if there are more than 10,000 seeds, and `needsAll` is false. */
  readonly urls: readonly string[];
}

/**
 * Injects the seeds of a crawl, and computes the scope of the crawl from them.
 * @throws CrawlError USAGE for a wrong pattern, before anything is written
 */
export async function injectInScope(
  crawl: JobContext,
  { stay = 'host', depth, include = [], exclude = [], ...seeds }: ScopedSeeds,
  needsAll = false,
): Promise<InjectedInScope> {
  const list = createSeedList(stay === 'path' || needsAll);
  const scope: CrawlScope = { stay, ...(depth !== undefined && { depth }), include, exclude, folders: {} };
  // Wrong patterns are found before anything is written.
  scopeRules(scope, crawl.urlPatterns);
  const injected = await injectSeeds(crawl, seeds, list.add);
  const { urls } = list;
  if (stay === 'any' || injected.interrupted || !urls) return { injected, scope, urls: urls ?? [] };
  // If no seeds were given, the sites of the last crawl are used.
  const last = urls.length === 0 ? await readScope(crawl.tables) : undefined;
  const kept = last?.stay === stay ? last : undefined;
  if (kept) {
    const { folders, targetFolders, sites } = kept;
    return { injected, scope: { ...scope, folders, ...defined({ targetFolders, sites }) }, urls };
  }
  const sites = [...new Set(urls.map((url) => siteOf(url, stay)))];
  const folders = stay === 'path' ? foldersOf(urls) : {};
  const rules = scopeRules({ ...scope, folders, sites }, crawl.urlPatterns);
  for (const { url, target } of await redirectsOf(crawl, urls)) rules.addTarget(url, target);
  return { injected, scope: rules.scope, urls };
}
