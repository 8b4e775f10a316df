import { messageOf } from '../../errors/index.js';
import { hostOf } from '../../url/index.js';

/** How far a crawl goes: plain data, as the table keeps it. */
export interface CrawlScope {
  /** How far links may lead, see `CrawlOptions.stay`. */
  readonly stay: 'host' | 'domain' | 'path' | 'any';
  /** Links from a seed at the most. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /** Patterns of which a URL must hold one, where there are any. Seeds, where they redirect to, and sitemaps are exempt. */
  readonly include: readonly string[];
  /** Patterns of which a URL may hold none. Seeds, and where they redirect to, are exempt. */
  readonly exclude: readonly string[];
  /** Where `stay` is `path`: the folders of the seeds by host, each a path that ends in `/`. Sitemaps may be outside. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
}

/** Looks for patterns in a URL: answers the first that is found. */
export type UrlPatterns = (patterns: readonly string[]) => (url: string) => string | undefined;

/**
 * A scope, ready to be asked. What was named as a sitemap is a way to find pages and none that is asked for: only
 * `exclude`, and that it is on another site, keeps it out. The pages that it lists are judged as any.
 */
export interface ScopeRules {
  readonly scope: CrawlScope;
  /** Why `include` and `exclude` keep a URL out, for people; may hold untrusted text. Undefined where they do not. */
  excludes(url: string, isSitemap?: boolean): string | undefined;
  /** Whether a URL lies outside of the folders of the seeds; only where `stay` is `path`. */
  isOutside(url: string, isSitemap?: boolean): boolean;
}

/** @throws CrawlError USAGE for a pattern that is wrong */
export function scopeRules(scope: CrawlScope, patterns: UrlPatterns): ScopeRules {
  const { stay, include, exclude, folders } = scope;
  const included = patterns(include);
  const excluded = patterns(exclude);
  const all = [...new Set(Object.values(folders).flat())];
  return {
    scope,
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
    isOutside(url, isSitemap = false) {
      if (stay !== 'path' || all.length === 0 || isSitemap) return false;
      const path = pathOf(url);
      // A host that no seed names is one that a seed redirected to.
      return !(Object.hasOwn(folders, hostOf(url)) ? folders[hostOf(url)]! : all).some((each) => path.startsWith(each));
    },
  };
}

/** The folder of a page: its path up to the last `/`. */
export function folderOf(url: string): string {
  const path = pathOf(url);
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** @param url normalised */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  return path.replace(/[?#].*$/s, '');
}
