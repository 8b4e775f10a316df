import { createBoundedCache, normalizeUrl, tryRowKeyOf, type CrawlContext } from '../../core/index.js';

const MAX_CACHED_CHARACTERS = 8 * 2 ** 20;

/** Makes a function that returns the row key of a URL on a page. The result is undefined for a URL that no table can hold. */
export function createLinkKeys({ plugins }: Pick<CrawlContext, 'plugins'>): (url: string) => string | undefined {
  const known = createBoundedCache<string>(MAX_CACHED_CHARACTERS);
  return (url) => {
    const before = known.get(url);
    if (before !== undefined) return before === '' ? undefined : before;
    const key = keyOf(plugins, url);
    known.set(url, key ?? '', url.length + (key?.length ?? 0) + 100);
    return key;
  };
}

function keyOf(plugins: CrawlContext['plugins'], url: string): string | undefined {
  return tryRowKeyOf(normalizeUrl(plugins, url, 'outlink').url);
}
