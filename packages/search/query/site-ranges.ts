import { domainRanges, prefixRange, type KeyRange } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';

/**
 * Where the pages of a `site:` are: of a domain all hosts below it too; of one with a path (`example.com/docs`) the URLs
 * that begin so, by http and https; of a whole URL those that begin with it. Undefined where it is none of these.
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
