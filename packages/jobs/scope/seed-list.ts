import { domainRanges, hostRange, rowKeyOf, type KeyRange } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { domainOf, hostOf } from '../../url/index.js';
import type { CrawlContext } from '../context.js';
import { folderOf, type CrawlScope } from './crawl-scope.js';

/** Seeds that are remembered: what is made of them is kept in one cell, and each parse thread has a copy. */
const MAX_SEEDS = 10_000;
/** Redirects in a row that are followed from a seed. */
const MAX_HOPS = 5;

/**
 * The seeds of a crawl whose sites matter beyond their injection.
 * @param isWanted false: nothing is remembered
 */
export function createSeedList(isWanted: boolean) {
  const urls: string[] = [];
  return {
    urls: urls as readonly string[],
    /** @throws CrawlError USAGE beyond 10,000 seeds */
    add(url: string): void {
      if (!isWanted) return;
      if (urls.length >= MAX_SEEDS) {
        throw new CrawlError('USAGE', `expected at most ${MAX_SEEDS} seeds with --stay path or --refetch, found more`, {
          hint: 'crawl them in parts; --refetch with --stay any takes the whole table and any number of seeds',
        });
      }
      urls.push(url);
    },
  };
}

/** The folders of seeds, by host. */
export function foldersOf(urls: readonly string[]): CrawlScope['folders'] {
  const byHost = new Map<string, Set<string>>();
  for (const url of urls) {
    const host = hostOf(url);
    byHost.set(host, (byHost.get(host) ?? new Set()).add(folderOf(url)));
  }
  return Object.fromEntries([...byHost].map(([host, folders]) => [host, [...folders]]));
}

/** The rows of the sites of seeds, and of those that the seeds redirected to when they were last fetched. */
export async function rangesOfSites(
  { tables }: Pick<CrawlContext, 'tables'>,
  urls: readonly string[],
  stay: CrawlScope['stay'],
): Promise<readonly KeyRange[] | undefined> {
  if (stay === 'any') return undefined;
  const sites = new Set<string>();
  for (const seed of urls) {
    for (let url: string | undefined = seed, hops = 0; url !== undefined && hops <= MAX_HOPS; hops++) {
      sites.add(stay === 'domain' ? domainOf(hostOf(url)) : hostOf(url));
      url = (await tables.pages.get(rowKeyOf(url), ['redirectTarget']))?.redirectTarget;
    }
  }
  return [...sites].flatMap((site) => (stay === 'domain' ? domainRanges(site) : [hostRange(site)]));
}
