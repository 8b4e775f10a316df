import { domainRanges, prefixRange, type KeyRange } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';

/**
 * Returns the key ranges for the value of `site:`. A domain includes all hosts below it. A host with a path (`example.com/docs`) means the
 * http and https URLs that begin with this host and path. A complete URL means all URLs that begin with this URL. Undefined for any other
 * text.
 */
export function siteRanges(site: string): readonly KeyRange[] | undefined {
  try {
    if (/^https?:\/\//i.test(site)) return [prefixRange(site)];
    const domain = site.replace(/^\*?\./, '').replace(/\/$/, '');
    if (domain === '' || domain.includes('://')) return undefined;
    if (domain.includes('/') || /:\d+$/.test(domain)) {
      return ['http', 'https'].map((scheme) => prefixRange(`${scheme}://${domain}`));
    }
    return domainRanges(domain);
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_URL') return undefined;
    throw error;
  }
}
