import { messageOf } from '../../errors/index.js';
import { hostOf, ownDomainOf } from '../../url/index.js';

/** How far a crawl goes. This is plain data, as the table stores it. */
export interface CrawlScope {
  /** Where links may lead, see `CrawlOptions.stay`. */
  readonly stay: 'host' | 'domain' | 'path' | 'any';
  /** Maximum number of links from a seed. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /**
   * Patterns of URLs. If the list is not empty, a URL must match at least one pattern. Seeds, their redirect targets, and sitemaps are
   * exempt.
   */
  readonly include: readonly string[];
  /** Patterns of URLs. A URL must match none of them. Seeds and their redirect targets are exempt. */
  readonly exclude: readonly string[];
  /**
   * The sites of the seeds and of their redirect targets. A site is a host, or a domain if `stay` is `domain`. Absent if `stay` is `any`,
   * or if there are more than 10,000 seeds. With more seeds than that, links stay on the site of their page.
   */
  readonly sites?: readonly string[];
  /** The folders of the seeds by host, if `stay` is `path`. A folder is a path that ends with `/`. Sitemaps may be outside the folders. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  /** The folders to which seeds redirected, each with its host: `www.example.com/en/docs/`. Absent if there are none. */
  readonly targetFolders?: readonly string[];
}

/** Compiles patterns into a function that returns the first pattern that a URL matches. */
export type UrlPatterns = (patterns: readonly string[]) => (url: string) => string | undefined;

/**
 * The rules of a scope. A sitemap is only a way to find pages. So it is rejected only if `exclude` matches it, or if it is on another site.
 * The pages that a sitemap lists are checked like other pages.
 */
export interface ScopeRules {
  /** The scope, including the sites and folders that were added. */
  readonly scope: CrawlScope;
  /**
   * The same scope for parse threads. Each new object is sent to every thread. So if much is added, a new copy is made at most once a
   * second.
   */
  readonly shared: CrawlScope;
  /**
   * Adds the site of the redirect target of a seed, and its folder if `stay` is `path`. A folder that contains the folder of the seed is not
   * added, because a seed that redirects to the home page does not mean the whole site.
   */
  addTarget(seed: string, target: string): void;
  /** Whether a URL is on the site of a seed or of a seed's redirect target. */
  isOnSeedSite(url: string): boolean;
  /**
   * Returns in words why `include` or `exclude` rejects a URL. The text may contain untrusted text. Returns undefined if the URL is not
   * rejected.
   */
  excludes(url: string, isSitemap?: boolean): string | undefined;
  /** Whether a URL is outside the folders of the seeds and of their redirect targets. It is false if `stay` is not `path`. */
  isOutside(url: string, isSitemap?: boolean): boolean;
}

/** @throws CrawlError USAGE for a wrong pattern */
export function scopeRules(scope: CrawlScope, patterns: UrlPatterns): ScopeRules {
  const { stay, include, exclude, folders } = scope;
  const included = patterns(include);
  const excluded = patterns(exclude);
  const all = [...new Set(Object.values(folders).flat())];
  const sites = new Set(scope.sites);
  const targets = new Set(scope.targetFolders);
  const size = (): number => sites.size + targets.size;
  const initialSize = size();
  const withTargets = (): CrawlScope => {
    if (size() === initialSize) return scope;
    return {
      ...scope,
      ...(scope.sites && { sites: [...sites] }),
      ...(targets.size > 0 && { targetFolders: [...targets] }),
    };
  };
  const shared = createSeldomCopy(withTargets, size);

  function isOutside(url: string, isSitemap = false): boolean {
    if (stay !== 'path' || all.length === 0 || isSitemap) return false;
    const host = hostOf(url);
    const path = pathOf(url);
    // If no seed is on this host, a seed has redirected to it. Then the folders of all hosts apply.
    if ((Object.hasOwn(folders, host) ? folders[host]! : all).some((each) => path.startsWith(each))) return false;
    for (let end = targets.size > 0 ? path.indexOf('/') : -1; end >= 0; end = path.indexOf('/', end + 1)) {
      if (targets.has(host + path.slice(0, end + 1))) return false;
    }
    return true;
  }

  return {
    get scope() {
      return withTargets();
    },
    get shared() {
      return shared();
    },
    addTarget(seed, target) {
      if (scope.sites) sites.add(siteOf(target, stay));
      // A seed of an earlier crawl may be outside the folders of this crawl.
      if (isOutside(seed) || !isOutside(target)) return;
      const folder = folderOf(target);
      if (!folderOf(seed).startsWith(folder)) targets.add(hostOf(target) + folder);
    },
    isOnSeedSite: (url) => sites.has(siteOf(url, stay)),
    excludes(url, isSitemap = false) {
      try {
        const found = excluded(url);
        if (found !== undefined) return `the crawl excludes ${found}`;
        if (include.length === 0 || isSitemap || included(url) !== undefined) return undefined;
        return `the crawl includes only ${include.join(', ')}`;
      } catch (error) {
        return messageOf(error);
      }
    },
    isOutside,
  };
}

/** The rules of a crawl without a scope. They reject nothing. */
export const NO_SCOPE: ScopeRules = scopeRules(
  { stay: 'any', include: [], exclude: [], folders: {} },
  () => () => undefined,
);

/** Returns the host of a URL, or its domain if `stay` is `domain`. */
export function siteOf(url: string, stay: CrawlScope['stay']): string {
  return stay === 'domain' ? ownDomainOf(hostOf(url)) : hostOf(url);
}

/** Up to this number of sites and folders, the scope is copied after each new one. */
const COPY_AT_ONCE_LIMIT = 100;
/** Milliseconds between two copies, if there are more than {@link COPY_AT_ONCE_LIMIT}. */
const COPY_EVERY = 1000;

/** Returns a function that returns the scope as plain data. After something was added, it makes a new copy, but not too often. */
function createSeldomCopy(makeCopy: () => CrawlScope, size: () => number): () => CrawlScope {
  let copy = makeCopy();
  let copiedSize = size();
  let copiedAt = 0;
  return () => {
    if (size() === copiedSize) return copy;
    const now = performance.now();
    if (size() > COPY_AT_ONCE_LIMIT && now - copiedAt < COPY_EVERY) return copy;
    copiedSize = size();
    copiedAt = now;
    copy = makeCopy();
    return copy;
  };
}

/** Returns the folder of a page: the path up to its last `/`. */
export function folderOf(url: string): string {
  const path = pathOf(url);
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** @param url a normalised URL */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  return path.replace(/[?#].*$/s, '');
}
