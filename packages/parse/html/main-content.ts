import { serializeOuter, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { resolveLink } from '../../url/index.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { first, isElement, walk } from './elements.js';
import { htmlDocument, type DocumentInput } from './html-document.js';
import { attribute } from './html-tree.js';
import { isCode, makeCode, makePlain } from './plain-blocks.js';

/** A page of which the main content is wanted. */
export interface MainContentInput extends DocumentInput {
  /** Links are resolved against it. */
  readonly url: string;
}

/** Elements that are no content. */
const DROPPED = new Set(
  'script style noscript template nav aside form button input select textarea iframe object embed svg dialog menu head link meta title'.split(
    ' ',
  ),
);
const DROPPED_ROLES = /^(navigation|banner|contentinfo|complementary|search|menu|menubar|dialog|toolbar)$/;
/** Words in the class or id of what leads about a site, as generators of manuals and themes of blogs call it. */
const NAVIGATION =
  /(^|[\s_-])(nav(igation|bar|header|footer|path|row)?|breadcrumbs?|side-?bar|menu|site-?(header|footer)|footer|masthead|pagination|pager|cookie|skip(-?link|-?nav)?|related|share|ttc|tooltip|title-?area|linenos?|social|toolbar|search|headerlink|tabs\d?|spirit-nav)([\s_-]|$)/i;
/** Characters up to which such an element is dropped whatever it holds, and the part of its text in links from which a longer one is. */
const SMALL = 500;
const MANY_LINKS = 0.3;
/** A table at the top of a page that has nothing but links leads about the site. */
const ALL_LINKS = 0.9;
const SPACES = /[\t\n\f\r ]+/g;
/** A landmark with less than this part of a longer page is not believed. */
const LEAST = 0.1;
const LONG = 2000;
/** What is nested deeper is left out. */
const DEEPEST = 256;
/** Characters of HTML of a piece, unless one element is longer that cannot be parted, and how deep a longer one is parted. */
const PIECE = 65_536;
const PARTED = 8;

/**
 * The part of a page of HTML that it is there for, as HTML: what it marks as main (`main`, `role=main`, its only `article`), else all of its
 * body, in both cases without navigation, banners and forms. Links and images are absolute. Undefined for other media types, and where the
 * tree was not made within `parser.timeout`.
 * @returns its HTML in pieces, since what reads HTML may take long for much of it in one; most pages are one piece
 */
export function mainContent(input: MainContentInput, settings: ParseSettings): readonly string[] | undefined {
  const document = htmlDocument(input, settings);
  const body = document && first(document, ({ tagName }) => tagName === 'body');
  if (!body) return undefined;
  const base = first(document, ({ tagName }) => tagName === 'base');
  const main = landmark(body) ?? body;
  prune(main, main === body, resolveLink((base && attribute(base, 'href')) ?? '', input.url) ?? input.url);
  return piecesOf(main, PARTED);
}

/** An element as HTML; a long one in several, each with some of its children. */
function piecesOf(element: Tree.Element, depth: number): string[] {
  const whole = serializeOuter(element);
  if (whole.length <= PIECE || depth === 0 || !element.childNodes.some(isElement)) return [whole];
  const pieces: string[] = [];
  let nodes: Tree.ChildNode[] = [];
  let length = 0;
  const end = (): void => {
    if (nodes.length > 0) pieces.push(serializeOuter({ ...element, childNodes: nodes }));
    nodes = [];
    length = 0;
  };
  for (const child of element.childNodes) {
    const size = isElement(child) ? serializeOuter(child).length : PIECE / 16;
    if (length + size > PIECE) end();
    if (isElement(child) && size > PIECE) {
      pieces.push(...piecesOf(child, depth - 1));
      continue;
    }
    nodes.push(child);
    length += size;
  }
  end();
  return pieces;
}

function landmark(body: Tree.Element): Tree.Element | undefined {
  const main = first(body, (element) => element.tagName === 'main' || attribute(element, 'role') === 'main');
  const found = main ?? onlyArticle(body);
  if (!found) return undefined;
  const total = textLengths(body).all;
  return total > LONG && textLengths(found).all < total * LEAST ? undefined : found;
}

function onlyArticle(body: Tree.Element): Tree.Element | undefined {
  const articles: Tree.Element[] = [];
  walk(body, (element) => {
    if (element.tagName !== 'article') return true;
    articles.push(element);
    return false;
  });
  return articles.length === 1 ? articles[0] : undefined;
}

/** Takes away what is no content, and makes links absolute. */
function prune(element: Tree.Element, isBody: boolean, base: string, depth = 0): void {
  element.childNodes = element.childNodes.filter((child) => {
    if (child.nodeName === '#comment') return false;
    // What makes Markdown of it takes a line break behind an element for nothing, which joins two words.
    if (child.nodeName === '#text')
      (child as Tree.TextNode).value = (child as Tree.TextNode).value.replace(SPACES, ' ');
    if (!isElement(child)) return true;
    if (depth >= DEEPEST || isNoContent(child, isBody)) return false;
    if (isBody && depth === 0 && child.tagName === 'table' && isOfLinks(child)) return false;
    child.attrs = child.attrs.flatMap((attr) => {
      if (attr.name !== 'href' && attr.name !== 'src') return [attr];
      const value = resolveLink(attr.value, base);
      return value === null ? [] : [{ ...attr, value }];
    });
    if (child.tagName === 'img' && !attribute(child, 'src')) return false;
    if (isCode(child)) makeCode(child);
    else {
      makePlain(child);
      prune(child, isBody, base, depth + 1);
    }
    return true;
  });
}

function isNoContent(element: Tree.Element, isBody: boolean): boolean {
  const { tagName, attrs } = element;
  if (DROPPED.has(tagName)) return true;
  if (DROPPED_ROLES.test(attribute(element, 'role') ?? '') || attrs.some(({ name }) => name === 'hidden')) return true;
  if (attribute(element, 'aria-hidden') === 'true') return true;
  // Those of an article belong to it.
  if (isBody && (tagName === 'header' || tagName === 'footer')) return true;
  if (!NAVIGATION.test(`${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`)) return false;
  const { all, inLinks } = textLengths(element);
  return all < SMALL || inLinks > all * MANY_LINKS;
}

function isOfLinks(table: Tree.Element): boolean {
  const { all, inLinks } = textLengths(table);
  return all < SMALL && inLinks >= all * ALL_LINKS;
}

/** Characters of text but white space, and how many of them are in links. */
function textLengths(element: Tree.Element): { all: number; inLinks: number } {
  let all = 0;
  let inLinks = 0;
  const stack: { node: Tree.Node; isLink: boolean }[] = [{ node: element, isLink: false }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, isLink } = next;
    if (node.nodeName === '#text') {
      const length = (node as Tree.TextNode).value.replace(/\s+/g, '').length;
      all += length;
      if (isLink) inLinks += length;
    } else if (isElement(node) && (node === element || !DROPPED.has(node.tagName))) {
      for (const child of node.childNodes) stack.push({ node: child, isLink: isLink || node.tagName === 'a' });
    }
  }
  return { all, inLinks };
}
