import { CrawlError } from '../../errors/index.js';
import { sniffSitemap } from '../../parse/index.js';
import type { CheckContext } from '../check-url.js';
import { parseContent } from '../parsing/parse-content.js';

/** What a sitemap names, in its order: seeds for `inject`. Texts are untrusted. */
export interface SitemapSeeds {
  /** Absolute URLs of pages. */
  readonly seeds: readonly string[];
  /** Those of further sitemaps, where it is an index. */
  readonly sitemaps: readonly string[];
  /** A bound was reached, and what follows was left out. */
  readonly truncated: boolean;
}

/**
 * Reads a sitemap, an index of sitemaps, a feed or a list of URLs, plain or packed by gzip, as fetch and parse would.
 * Only absolute URLs count, since nobody knows where it comes from.
 * @throws CrawlError BAD_INPUT where it is none of these or cannot be parsed
 */
export async function readSitemap(context: CheckContext, content: Uint8Array): Promise<SitemapSeeds> {
  const page = { url: 'about:blank', content, contentType: '', headers: {}, truncated: false, sitemap: true };
  const { outcome } = await parseContent(context, page);
  if (outcome.kind === 'failed' || sniffSitemap(content) === undefined) {
    const found = outcome.kind === 'failed' ? (outcome.message ?? outcome.code) : 'another kind of page';
    throw new CrawlError('BAD_INPUT', `expected a sitemap, a feed or a list of URLs, found ${found}`);
  }
  const named = (sitemap: boolean) => outcome.outlinks.filter((link) => (link.sitemap ?? false) === sitemap);
  return {
    seeds: named(false).map(({ url }) => url),
    sitemaps: named(true).map(({ url }) => url),
    truncated: outcome.truncated ?? false,
  };
}
