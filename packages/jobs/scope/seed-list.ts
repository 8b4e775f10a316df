import { domainRanges, hostRange, rowKeyOf, type KeyRange } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { hostOf } from '../../url/index.js';
import type { CrawlContext } from '../context.js';
import { folderOf, siteOf, type CrawlScope } from './crawl-scope.js';

/** Maximum number of remembered seeds. It is small, because the sites of all seeds are in one cell, and each parse thread has a copy of them. */
const MAX_SEEDS = 10_000;
/** Number of rows that are read at the same time. */
const CHUNK = 500;
/** Maximum number of consecutive redirects that are followed from a seed. */
const MAX_HOPS = 5;

/**
 * Collects the URLs of the seeds of a crawl. They are needed after the injection.
 * @param needsAll whether more than 10,000 seeds are an error
 */
export function createSeedList(needsAll: boolean) {
  let urls: string[] | undefined = [];
  return {
    /** undefined if there are more than 10,000 seeds. */
    get urls(): readonly string[] | undefined {
      return urls;
    },
    /** @throws CrawlError USAGE if there are more than 10,000 seeds, and `needsAll` is true */
    add(url: string): void {
      if (!urls) return;
      if (urls.length >= MAX_SEEDS && !needsAll) urls = undefined;
      else if (urls.length >= MAX_SEEDS) {
        throw new CrawlError('USAGE', `expected at most ${MAX_SEEDS} seeds with --stay path or --refetch, found more`, {
          hint: 'crawl the seeds in parts; --refetch with --stay any refetches the whole table, with any number of seeds',
        });
      } else urls.push(url);
    },
  };
}

/** Returns the folders of the seeds by host. */
export function foldersOf(urls: readonly string[]): CrawlScope['folders'] {
  const byHost = new Map<string, Set<string>>();
  for (const url of urls) {
    const host = hostOf(url);
    byHost.set(host, (byHost.get(host) ?? new Set()).add(folderOf(url)));
  }
  return Object.fromEntries([...byHost].map(([host, folders]) => [host, [...folders]]));
}

/** A redirect of a seed, or of the target of such a redirect. */
interface SeedRedirect {
  readonly url: string;
  readonly target: string;
}

/** Returns the redirects that were followed from the seeds at their last fetch. */
export async function redirectsOf(
  { tables }: Pick<CrawlContext, 'tables'>,
  urls: readonly string[],
): Promise<readonly SeedRedirect[]> {
  const redirects: SeedRedirect[] = [];
  const seen = new Set(urls);
  let found = [...seen];
  for (let hops = 0; hops < MAX_HOPS && found.length > 0; hops++) {
    const targets: string[] = [];
    for (let at = 0; at < found.length; at += CHUNK) {
      const chunk = found.slice(at, at + CHUNK);
      const rows = await tables.pages.getMany(chunk.map(rowKeyOf), ['redirectTarget']);
      for (const [i, row] of rows.entries()) {
        const target = row?.redirectTarget;
        if (target === undefined) continue;
        redirects.push({ url: chunk[i]!, target });
        if (!seen.has(target)) targets.push(target);
        seen.add(target);
      }
    }
    found = targets;
  }
  return redirects;
}

/** Returns the ranges of row keys on the sites of the seeds and of their redirect targets. Returns undefined if `stay` is `any`: all rows. */
export async function rangesOfSites(
  crawl: Pick<CrawlContext, 'tables'>,
  urls: readonly string[],
  stay: CrawlScope['stay'],
): Promise<readonly KeyRange[] | undefined> {
  if (stay === 'any') return undefined;
  const targets = (await redirectsOf(crawl, urls)).map(({ target }) => target);
  const sites = new Set([...urls, ...targets].map((url) => siteOf(url, stay)));
  return [...sites].flatMap((site) => (stay === 'domain' ? domainRanges(site) : [hostRange(site)]));
}
