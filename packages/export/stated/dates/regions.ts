import { attribute } from '../../../core/index.js';
import { tokens, type Element } from '../head.js';

/** The region of a page: its main part, a part beside it, or unknown. */
export type Region = 'main' | 'beside' | 'unknown';

const MAIN_TAGS: ReadonlySet<string> = new Set(['main', 'article']);
const BESIDE_TAGS: ReadonlySet<string> = new Set(['aside', 'nav', 'footer', 'form', 'select', 'button']);
const BESIDE_NAMES =
  /(^|[-_\s])(comments?(?!-?(count|link|off))|comment-?list|respond|replies|related|side-?bar|secondary|widgets?|recommend\w*|popular|trending|teasers?|promo|latest|recent|footer|menu|nav|navigation|calendar|archives?|copyright|ticker|carousel|slider|most-?read|more-?(news|stories|from)|read-?more|similar|suggest\w*|banner|advert\w*|share|social|disqus\w*|weather|clock|currentdate|today)([-_\s]|$)/i;
const MAIN_NAMES =
  /(^|[-_\s])(article|post|entry|story|hentry|content|single|main)([-_\s]|$|-?(body|content|detail|header|title))/i;

/** Returns the region of the content of an element. @param around the region of the element */
export function regionWithin(element: Element, around: Region): Region {
  if (around === 'beside') return around;
  const { tagName } = element;
  if (BESIDE_TAGS.has(tagName)) return 'beside';
  const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`;
  const isPage = tagName === 'body' || tagName === 'html';
  if (!isPage && names.length < 500 && BESIDE_NAMES.test(names)) return 'beside';
  const role = attribute(element, 'role');
  if (role === 'complementary' || role === 'navigation' || role === 'contentinfo') return 'beside';
  if (MAIN_TAGS.has(tagName) || role === 'main') return 'main';
  if (isPage || around === 'main') return around;
  if (tokens(attribute(element, 'itemprop')).includes('articlebody')) return 'main';
  return MAIN_NAMES.test(names) ? 'main' : around;
}
