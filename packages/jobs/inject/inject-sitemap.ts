import { CrawlError } from '../../errors/index.js';
import { sniffSitemap } from '../../parse/index.js';
import type { CheckContext } from '../context.js';
import { parseContent } from '../parsing/parse-content.js';

/** The URLs of a sitemap in the order of the file, as seeds for `inject`. The texts are untrusted. */
export interface SitemapSeeds {
  /** Absolute URLs of pages. */
  readonly seeds: readonly string[];
  /** URLs of other sitemaps, if the file is an index of sitemaps. */
  readonly sitemaps: readonly string[];
  /** Whether a limit was reached, so that the rest of the file was left out. */
  readonly truncated: boolean;
}

/**
 * Reads a sitemap, a sitemap index, a feed or a list of URLs, plain or compressed by gzip, in the same way as fetch and parse. Only
 * absolute URLs are used, because the URL of the file is unknown.
 * @throws CrawlError BAD_INPUT if the file has another type or cannot be parsed
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
