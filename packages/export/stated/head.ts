import { attribute, isJsonLd, resolveLink, walkElements, type HtmlDocument } from '../../core/index.js';
import type { PageView } from './page-view.js';

export type Element = Parameters<typeof attribute>[0];

export interface Meta {
  /** Value of `property`, `name`, `itemprop` or `http-equiv`, in lower case. */
  readonly name: string;
  readonly content: string;
}

interface Link {
  /** The values of `rel`, in lower case. */
  readonly relations: readonly string[];
  /** The target of the link, as an absolute URL. */
  readonly url: string;
  readonly element: Element;
}

/** Data that a page states about itself in invisible elements. */
export interface Head {
  readonly metas: readonly Meta[];
  readonly links: readonly Link[];
  /** The text of each JSON-LD block. */
  readonly jsonLd: readonly string[];
  /** The base of relative links. */
  readonly base: string;
  /** The language of the page, in lower case. Empty: the page states no language. */
  readonly language: string;
}

const MAX_ELEMENTS = { metas: 500, links: 1000 } as const;
const MAX_VALUE_CHARACTERS = 5000;
const MAX_LANGUAGE_CHARACTERS = 100;

const heads = new WeakMap<HtmlDocument, Head>();

/** Reads what a page states about itself. The elements may be anywhere in the page, as for `pageMetadata`. Undefined: the page has no tree. */
export function headOf(view: PageView): Head | undefined {
  const document = view.document();
  if (!document) return undefined;
  let head = heads.get(document);
  if (!head) heads.set(document, (head = readHead(document, view.url)));
  return head;
}

/** The value of the first `meta` element that has one of these names. Earlier names take precedence. */
export function metaOf({ metas }: Pick<Head, 'metas'>, ...names: readonly string[]): string | undefined {
  for (const wanted of names) {
    const found = metas.find(({ name, content }) => name === wanted && content !== '');
    if (found) return found.content;
  }
  return undefined;
}

function readHead(document: HtmlDocument, url: string): Head {
  const metas: Meta[] = [];
  const found: { readonly element: Element; readonly href: string }[] = [];
  const jsonLd: string[] = [];
  let base: string | undefined;
  let language = '';
  walkElements(document, (element) => {
    const { tagName } = element;
    if (tagName === 'html') language = attribute(element, 'lang') ?? attribute(element, 'xml:lang') ?? '';
    else if (tagName === 'base') base ??= attribute(element, 'href');
    else if (tagName === 'meta') readMeta(element, metas);
    else if (tagName === 'link') {
      const href = attribute(element, 'href');
      if (href !== undefined && href.length <= MAX_VALUE_CHARACTERS && found.length < MAX_ELEMENTS.links)
        found.push({ element, href });
    } else if (tagName === 'script' && isJsonLd(attribute(element, 'type'))) {
      jsonLd.push(element.childNodes.map((node) => ('value' in node ? node.value : '')).join(''));
    }
    return true;
  });
  const resolved = resolveLink(base ?? '', url) ?? url;
  const links = found.flatMap(({ element, href }) => {
    const target = resolveLink(href, resolved);
    return target === null ? [] : [{ element, url: target, relations: tokens(attribute(element, 'rel')) }];
  });
  language = language.slice(0, MAX_LANGUAGE_CHARACTERS).trim().toLowerCase().replaceAll('_', '-');
  return { metas, links, jsonLd, base: resolved, language };
}

function readMeta(element: Element, metas: Meta[]): void {
  const content = attribute(element, 'content');
  if (content === undefined) return;
  const value = content.slice(0, MAX_VALUE_CHARACTERS).replace(/\s+/g, ' ').trim();
  const names = ['property', 'name', 'itemprop', 'http-equiv'].flatMap((key) => {
    const name = attribute(element, key)?.trim().toLowerCase();
    return name === undefined || name === '' || name.length > 100 ? [] : [name];
  });
  for (const name of new Set(names)) if (metas.length < MAX_ELEMENTS.metas) metas.push({ name, content: value });
}

/** The words of an attribute, in lower case. */
export function tokens(value = ''): string[] {
  return value
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((token) => token !== '');
}
