import { srcsetUrls, tokens, type PageElement } from '../../core/index.js';
import { LINK_KINDS, REL, type LinkKind } from './kinds.js';

export interface ElementLink {
  readonly raw: string;
  readonly kind: number;
}

const KINDS = Object.fromEntries(LINK_KINDS.map((kind, place) => [kind, place])) as Record<LinkKind, number>;
const MAX_CANDIDATES = 100;

const ATTRIBUTES: ReadonlyMap<string, readonly (readonly [attribute: string, kind: LinkKind])[]> = new Map([
  ['a', [['href', 'a']]],
  ['area', [['href', 'area']]],
  ['iframe', [['src', 'iframe']]],
  ['frame', [['src', 'frame']]],
  ['blockquote', [['cite', 'cite']]],
  ['q', [['cite', 'cite']]],
  ['del', [['cite', 'cite']]],
  ['ins', [['cite', 'cite']]],
  ['img', [['src', 'img']]],
  ['source', [['src', 'source']]],
  [
    'video',
    [
      ['src', 'media'],
      ['poster', 'poster'],
    ],
  ],
  ['audio', [['src', 'media']]],
  ['embed', [['src', 'object']]],
  ['object', [['data', 'object']]],
  ['track', [['src', 'track']]],
  ['script', [['src', 'script']]],
]);

/**
 * The kind of resource that a `link` element loads, by a token of its `rel`. `preconnect` and `dns-prefetch` are missing, because they name
 * hosts and not resources.
 */
const RELATIONS: ReadonlyMap<string, LinkKind> = new Map([
  ['stylesheet', 'stylesheet'],
  ['icon', 'icon'],
  ['apple-touch-icon', 'icon'],
  ['mask-icon', 'icon'],
  ['manifest', 'manifest'],
  ['preload', 'preload'],
  ['modulepreload', 'preload'],
]);

export function linksOfElement(element: PageElement): ElementLink[] {
  const { tagName, isHtml } = element;
  if (!isHtml) return tagName === 'a' ? withAttribute(element, 'href', 'a') : [];
  if (tagName === 'link') return linkElement(element);
  if (tagName === 'form') return isLinkForm(element) ? withAttribute(element, 'action', 'form') : [];
  if (tagName === 'input')
    return element.attribute('type')?.trim().toLowerCase() === 'image' ? withAttribute(element, 'src', 'img') : [];
  if (tagName === 'iframe' && element.attribute('srcdoc') !== undefined) return [];
  const found = (ATTRIBUTES.get(tagName) ?? []).flatMap(([name, kind]) => withAttribute(element, name, kind));
  if (tagName === 'img' || tagName === 'source') found.push(...candidates(element.attribute('srcset'), tagName));
  return found;
}

export function relFlags(rel: string | undefined): number {
  let flags = 0;
  for (const token of tokens(rel)) if (Object.hasOwn(REL, token)) flags |= REL[token as keyof typeof REL];
  return flags;
}

function linkElement(element: PageElement): ElementLink[] {
  const relations = tokens(element.attribute('rel'));
  const kinds = relations.flatMap((relation) => RELATIONS.get(relation) ?? []);
  return kinds[0] === undefined ? [] : withAttribute(element, 'href', kinds[0]);
}

function withAttribute(element: PageElement, name: string, kind: LinkKind): ElementLink[] {
  const raw = element.attribute(name)?.trim();
  if (raw === undefined) return [];
  // A resource with an empty address is not loaded, and a form with an empty address sends to its own page.
  if (raw === '' && kind !== 'a' && kind !== 'area') return [];
  return [{ raw, kind: KINDS[kind] }];
}

function isLinkForm(element: PageElement): boolean {
  const method = element.attribute('method')?.trim().toLowerCase();
  return method !== 'post' && method !== 'dialog';
}

function candidates(srcset: string | undefined, kind: 'img' | 'source'): ElementLink[] {
  if (srcset === undefined) return [];
  return srcsetUrls(srcset, MAX_CANDIDATES)
    .filter((url) => url !== '')
    .map((raw) => ({ raw, kind: KINDS[kind] }));
}
