import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

/** Families of words in classes, ids and roles. Each family indicates one kind of element, and has one bit. */
const FAMILIES = {
  comment: 'comment kommentar comentario commentaire disqus respond reply replies answer forum discussion',
  related: 'related recommend similar readmore read-more morefrom more-from further outbrain taboola also prevnext',
  teaser: 'teaser card tile promo carousel slider gallery listing grid preview excerpt feed latest popular trending',
  sidebar: 'sidebar aside widget rail marginal right-col left-col rightcol leftcol complementary secondary',
  navigation: 'nav menu breadcrumb pagination pager navi tabs toc skip navigation next prev previous index',
  header: 'header masthead banner topbar kicker eyebrow branding logo',
  footer: 'footer colophon copyright imprint contentinfo bottom legal impressum',
  share: 'share sharing social facebook twitter whatsapp addtoany follow like',
  author: 'author autor auteur byline bio vcard contributor profile avatar',
  meta: 'meta date time tags tag category categories posted published info details dateline label keywords stats',
  advert: 'ad ads advert advertisement adslot anzeige sponsor sponsored werbung affiliate commercial',
  subscribe:
    'newsletter subscribe subscription paywall signup sign-up login register abo premium donate cta offer shop',
  notice: 'cookie consent notice alert warning disclaimer gdpr popup modal overlay hint',
  caption:
    'caption credit bildunterschrift legend copyright-info figcaption wp-caption image-credit photo picture media',
  tools: 'print rating vote toolbar tools tool search button btn actions feedback download language lang',
  box: 'box infobox factbox sidebox callout block panel module aside-box container-box',
  body: 'entry-content post-content article-body articlebody article-content articletext article-text story-body post-body entry content-body body-text richtext rich-text text-body maincontent main-content bodytext fulltext',
  article: 'article post content text story main hentry page',
} as const;

export type Family = keyof typeof FAMILIES;

export const FAMILY = Object.fromEntries(Object.keys(FAMILIES).map((name, i) => [name, 1 << i])) as Readonly<
  Record<Family, number>
>;

export const BESIDE = (
  ['comment', 'related', 'sidebar', 'navigation', 'footer', 'share', 'advert', 'subscribe', 'notice', 'tools'] as const
).reduce((bits, name) => bits | FAMILY[name], 0);

/** Of class, id and role together. */
const MAX_NAME_CHARACTERS = 400;
/**
 * Minimum length of a word that may be anywhere in a name, as in `mysidebar2`. A shorter word must be a whole name, or a part of a name
 * between hyphens.
 */
const WHOLE = 6;

const BITS: ReadonlyMap<string, number> = bitsOfWords();
const WITHIN = new RegExp([...BITS.keys()].filter((word) => word.length >= WHOLE).join('|'), 'g');

function bitsOfWords(): Map<string, number> {
  const bits = new Map<string, number>();
  for (const [family, words] of Object.entries(FAMILIES)) {
    for (const word of words.split(' ')) bits.set(word, (bits.get(word) ?? 0) | FAMILY[family as Family]);
  }
  return bits;
}

/** Reads the names of the elements of a page. Names that occur again are not read again. */
export class ClassWords {
  readonly #texts = new Map<string, number>();
  readonly #names = new Map<string, number>();

  of({ attrs }: Tree.Element): number {
    let text = '';
    for (const { name, value } of attrs) {
      if (name === 'class' || name === 'role') text += `${value.slice(0, MAX_NAME_CHARACTERS)} `;
    }
    return this.ofName(text);
  }

  ofName(name: string): number {
    return name === '' ? 0 : cached(this.#texts, name.slice(0, MAX_NAME_CHARACTERS), (all) => this.#ofText(all));
  }

  #ofText(text: string): number {
    let bits = 0;
    for (const name of text
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[\s_]+/)) {
      if (name !== '') bits |= cached(this.#names, name, bitsOfName);
    }
    return bits;
  }
}

function cached(known: Map<string, number>, key: string, make: (key: string) => number): number {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  known.set(key, made);
  return made;
}

function bitsOfName(name: string): number {
  let bits = BITS.get(name) ?? 0;
  if (name.length >= WHOLE) for (const [word] of name.matchAll(WITHIN)) bits |= BITS.get(word)!;
  for (const part of name.split(/[^\p{L}]+/u)) bits |= BITS.get(part) ?? 0;
  return bits;
}
