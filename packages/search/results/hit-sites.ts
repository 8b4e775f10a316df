import { urlOf } from '../../core/index.js';

/** A host, or a folder of it, and the number of hits there. */
export interface HitSite {
  /** The value for the operator `site:`, such as `example.com` or `example.com/docs`. Untrusted. */
  readonly site: string;
  readonly hits: number;
}

const MAX_SITES = 30;

/**
 * Returns the sites of some pages, those with most pages first: their hosts; or, if all are of one host, the folders in which their paths
 * first differ. Empty: all are in one place.
 */
export function hitSites(keys: readonly string[]): readonly HitSite[] {
  const pages = keys.map((key) => {
    const { host, pathname } = new URL(urlOf(key));
    return [host, ...pathname.split('/').slice(1, -1)];
  });
  for (let depth = 1; ; depth++) {
    const deep = pages.filter(({ length }) => length >= depth).map((parts) => parts.slice(0, depth).join('/'));
    const names = [...new Set(deep)];
    if (names.length === 0) return [];
    if (names.length === 1) continue;
    // As in `site:`, a host includes the hosts below it, and a folder those whose names begin alike.
    const isIn = (page: string, site: string): boolean =>
      depth > 1 ? page.startsWith(site) : page === site || page.endsWith(`.${site}`);
    const counted = names.map((site) => ({ site, hits: deep.filter((page) => isIn(page, site)).length }));
    return counted.sort((a, b) => b.hits - a.hits || (a.site < b.site ? -1 : 1)).slice(0, MAX_SITES);
  }
}
