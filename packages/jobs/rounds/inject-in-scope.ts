import type { CrawlContext } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { injectSeeds, type InjectOptions } from '../inject.js';
import type { Report } from '../reporting/job.js';
import type { CrawlScope } from '../scope/crawl-scope.js';
import { withScope } from '../scope/in-scope.js';
import { createSeedList, foldersOf } from '../scope/seed-list.js';
import { readScope } from '../scope/stored-scope.js';

/** The seeds of a crawl, and how far it goes from them. */
export type ScopedSeeds = InjectOptions & Pick<CrawlOptions, 'stay' | 'depth' | 'include' | 'exclude'>;

/** What {@link injectInScope} did. */
export interface InjectedInScope {
  readonly injected: Report;
  /** Not written to the table yet. */
  readonly scope: CrawlScope;
  /** The normalised URLs of the seeds, where `keepsUrls`. */
  readonly urls: readonly string[];
}

/**
 * Injects the seeds of a crawl, and works out how far it goes from them.
 * @throws CrawlError USAGE for a wrong pattern, before anything is written
 */
export async function injectInScope(
  crawl: CrawlContext,
  { stay = 'host', depth, include = [], exclude = [], ...seeds }: ScopedSeeds,
  keepsUrls = false,
): Promise<InjectedInScope> {
  const list = createSeedList(stay === 'path' || keepsUrls);
  const scope: CrawlScope = { stay, ...(depth !== undefined && { depth }), include, exclude, folders: {} };
  withScope(crawl, scope);
  const injected = await injectSeeds(crawl, seeds, list.add);
  if (stay !== 'path' || injected.interrupted) return { injected, scope, urls: list.urls };
  return { injected, scope: { ...scope, folders: await foldersIn(crawl.tables, list.urls) }, urls: list.urls };
}

/** The folders of the seeds; without seeds, those that the last crawl kept to. */
async function foldersIn(tables: CrawlContext['tables'], urls: readonly string[]): Promise<CrawlScope['folders']> {
  const last = urls.length === 0 ? await readScope(tables) : undefined;
  return last?.stay === 'path' ? last.folders : foldersOf(urls);
}
