import type { NewRule } from '../../packages/webcrawl/index.js';
import { SECTIONS } from './news-articles.js';
import type { NewsSite } from './news-sites.js';

/** How somebody who has looked at a few articles of a site writes down what their URLs look like. */
const PATTERNS: Readonly<Record<NewsSite['style'], string>> = {
  blog: String.raw`^https?://[^/]+/20\d\d/\d\d/\d\d/[^/]+/$`,
  portal: String.raw`^https?://[^/]+/(${SECTIONS.join('|')})/[^/?]+-\d+$`,
  classic: String.raw`/story\.php\?id=\d+$`,
};

/** A rule for each site on which of its pages are worth having. */
export function usefulRules(sites: readonly NewsSite[]): NewRule[] {
  return sites.map(({ style, domain }) => ({
    kind: 'useful',
    scope: `domain:${domain}`,
    pattern: { regex: PATTERNS[style] },
  }));
}
