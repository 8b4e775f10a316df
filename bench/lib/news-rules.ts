import type { NewRule } from '../../packages/webcrawl/internal.js';
import { SECTIONS } from './news-articles.js';
import type { NewsSite } from './news-sites.js';

/** Patterns of article URLs, as a user would write them after a look at a few articles of a site. */
const PATTERNS: Readonly<Record<NewsSite['style'], string>> = {
  blog: String.raw`^https?://[^/]+/20\d\d/\d\d/\d\d/[^/]+/$`,
  portal: String.raw`^https?://[^/]+/(${SECTIONS.join('|')})/[^/?]+-\d+$`,
  classic: String.raw`/story\.php\?id=\d+$`,
};

/** A rule for each site on its relevant pages. */
export function usefulRules(sites: readonly NewsSite[]): NewRule[] {
  return sites.map(({ style, domain }) => ({
    kind: 'relevant',
    scope: `domain:${domain}`,
    pattern: { regex: PATTERNS[style] },
  }));
}
