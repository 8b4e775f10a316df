import { serializeOuter, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { resolveLink } from '../../url/index.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { htmlDocument, type DocumentInput } from './html-document.js';

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
  /(^|[\s_-])(nav(igation|bar|header|footer|path|row)?|breadcrumbs?|side-?bar|menu|site-?(header|footer)|footer|masthead|pagination|pager|cookie|skip(-?link|-?nav)?|related|share|social|toolbar|search|headerlink|tabs\d?|spirit-nav)([\s_-]|$)/i;
/** Characters up to which such an element is dropped whatever it holds, and the part of its text in links from which a longer one is. */
const SMALL = 500;
const MANY_LINKS = 0.3;
/** A landmark with less than this part of a longer page is not believed. */
const LEAST = 0.1;
const LONG = 2000;
/** What is nested deeper is left out. */
const DEEPEST = 256;
/** Characters of HTML of a piece, unless one element is longer that cannot be parted, and how deep a longer one is parted. */
const PIECE = 65_536;
const PARTED = 8;
const NAMESPACE = 'http://www.w3.org/1999/xhtml' as Tree.Element['namespaceURI'];

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
    if (!isElement(child)) return true;
    if (depth >= DEEPEST || isNoContent(child, isBody)) return false;
    child.attrs = child.attrs.flatMap((attr) => {
      if (attr.name !== 'href' && attr.name !== 'src') return [attr];
      const value = resolveLink(attr.value, base);
      return value === null ? [] : [{ ...attr, value }];
    });
    if (child.tagName === 'img' && !attribute(child, 'src')) return false;
    if (child.tagName === 'pre') makeCode(child);
    else prune(child, isBody, base, depth + 1);
    return true;
  });
}

/** Generators colour the code of `pre` by elements; what it is written in stands in a class, if anywhere. */
function makeCode(pre: Tree.Element): void {
  const code = first(pre, ({ tagName }) => tagName === 'code');
  const classes = [pre, code].flatMap((element) => (element && attribute(element, 'class')?.split(/\s+/)) || []);
  const language = classes.find((name) => /^(language|lang)-/.test(name));
  const text: string[] = [];
  const stack: Tree.Node[] = [pre];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeName === '#text') text.push((node as Tree.TextNode).value);
    else if (node.nodeName === 'br') text.push('\n');
    else if (isElement(node)) stack.push(...node.childNodes.slice().reverse());
  }
  const made: Tree.Element = {
    nodeName: 'code',
    tagName: 'code',
    namespaceURI: NAMESPACE,
    attrs: language === undefined ? [] : [{ name: 'class', value: language }],
    childNodes: [],
    parentNode: pre,
  };
  made.childNodes.push({ nodeName: '#text', value: text.join(''), parentNode: made });
  pre.childNodes = [made];
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

/** The first element in the order of the page for which something holds. */
function first(root: Tree.ParentNode, holds: (element: Tree.Element) => boolean): Tree.Element | undefined {
  let found: Tree.Element | undefined;
  walk(root, (element) => {
    if (!found && holds(element)) found = element;
    return !found;
  });
  return found;
}

/** Visits elements in the order of the page; the children of those for which `visit` says so. */
function walk(root: Tree.ParentNode, visit: (element: Tree.Element) => boolean): void {
  const stack: Tree.Node[] = [...root.childNodes].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node) || !visit(node)) continue;
    for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
  }
}

function isElement(node: Tree.Node): node is Tree.Element {
  return 'tagName' in node;
}

function attribute({ attrs }: Tree.Element, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value;
}
