import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { headOf } from '../head/head-of.js';
import { attribute } from '../html-tree.js';
import { FAMILY } from './class-words.js';
import type { Part } from './outline.js';
import { AROUND_BITS, BESIDE_ROLES, sumOf, type Page } from './page.js';

const GENERATORS =
  /docbook|docutils|sphinx|doxygen|javadoc|jdk|mkdocs|docusaurus|docfx|asciidoc|antora|gitbook|vitepress|jekyll-docs|texinfo|mdbook|rustdoc|typedoc|groff|mandoc/i;
/** A page is a manual if at least this share of its text is code; see `weightOf`. */
const MUCH_CODE = 0.08;
/** The families of elements that stand beside articles. In a manual, such words are names of its navigation. */
const OF_ARTICLES = FAMILY.comment | FAMILY.related | FAMILY.share;
const NAVIGATION = AROUND_BITS.get('nav')! | AROUND_BITS.get('role')!;
/**
 * A page is an index of a manual if its `main` element has at least this share of the text of the page, and prose is less than `NO_PROSE`
 * of the text in `main`.
 */
const NEARLY_ALL = 0.8;
const NO_PROSE = 0.05;
/** Matches classes and ids of navigation in generators of manuals, and in their themes. */
const NAMES =
  /(^|[\s_-])(nav(igation|bar|header|footer|path|row)?|breadcrumbs?|side-?bar|sphinxsidebar|menu|site-?(header|footer)|footer|masthead|pagination|pager|cookies?|skip(-?link|-?nav)?|related(?!-[\w-]*summary)|share|ttc|tooltip|title-?area|social|toolbar|search|spirit-nav)([\s_-]|$)/i;
const TAGS = ['nav', 'form', 'dialog', 'aside', 'button'].reduce((bits, name) => bits | AROUND_BITS.get(name)!, 0);
/** Matches classes and roles of an `aside` that belongs to the text beside it: a footnote, an admonition or another note. */
const NOTES =
  /(^|[\s_-])(footnotes?|admonition|notes?|topic|warning|tip|hint|caution|danger|important|doc-\w+)([\s_-]|$)/i;
/**
 * An element with such a class or id is not content if it has fewer characters than this, or if its share of links is larger than
 * `MAX_LINK_SHARE`.
 */
const MIN_CONTENT_CHARACTERS = 500;
const MAX_LINK_SHARE = 0.3;
/** Of a small table directly in the body. */
const MIN_NAVIGATION_LINK_SHARE = 0.9;
/** Of the text of the page. A smaller `main` element is ignored. */
const MIN_MAIN_SHARE = 0.1;
/** The weight of a character in a link. So a menu weighs less than the text beside it, even if it is longer. */
const LINK_WEIGHT = 0.1;
/**
 * A menu is a `nav` or an `aside` with at least this share of links. It is not content if the page has `OTHER_TEXT` characters beside it.
 */
const MENU_LINKS = 0.8;
const OTHER_TEXT = 30;

export function isMarkedManual(document: Tree.Document): boolean {
  return GENERATORS.test((headOf(document).meta('generator') ?? '').slice(0, 200));
}

/** Whether the text of a page looks like a part of a manual. In a manual, code, tables, terms and lists of links are content like prose. */
export function looksLikeManual(page: Page): boolean {
  return hasMuchCode(page) || isIndex(page);
}

/** An article with code can have as much code as a manual, but beside it are comments, related articles or buttons to share it. */
function hasMuchCode(page: Page): boolean {
  const code = page.blocks.reduce((sum, block) => sum + block.code, 0);
  if (code <= weightOf(page, page.parts[0]!) * MUCH_CODE) return false;
  return !page.parts.some(
    (part) =>
      (part.words & OF_ARTICLES) !== 0 &&
      part.end > part.first &&
      part.tagName !== 'table' &&
      page.beside[part.index] === part &&
      (page.around[part.index]! & NAVIGATION) === 0,
  );
}

/** The length of the text in a part, in which text in links counts less. */
function weightOf(page: Page, part: Part): number {
  return sumOf(page, part, 'length') - sumOf(page, part, 'linked') * (1 - LINK_WEIGHT);
}

function isIndex(page: Page): boolean {
  const main = mainOf(page);
  if (!main) return false;
  const length = sumOf(page, main, 'length');
  return length > page.length * NEARLY_ALL && sumOf(page, main, 'prose') < length * NO_PROSE;
}

/**
 * Returns, for each block, whether it is beside the content. This depends only on the names of the elements around it. Such blocks are
 * outside the `main` element, or in navigation, forms, side bars, or elements with a class or id of navigation.
 */
export function besideByNames(page: Page): boolean[] {
  const main = mainOf(page);
  const beside = partsByNames(page, main);
  return page.blocks.map(({ part, index }) => {
    const isOutside = main !== undefined && (index < main.first || index >= main.end);
    return isOutside || beside[part.index]!;
  });
}

/** Returns the elements beside the content that have no kept block. They are removed with all of their content, such as pictures. */
export function emptyByNames(page: Page, kept: readonly boolean[]): ReadonlySet<Tree.Element> {
  const hasMain = mainOf(page) !== undefined;
  const before = new Uint32Array(kept.length + 1);
  for (let i = 0; i < kept.length; i++) before[i + 1] = before[i]! + (kept[i] ? 1 : 0);
  const empty = new Set<Tree.Element>();
  for (const part of page.parts) {
    if (before[part.end] !== before[part.first]) continue;
    const isWithin = part.parent !== undefined && empty.has(part.parent.element);
    if (isWithin || isBeside(page, part, hasMain)) empty.add(part.element);
  }
  return empty;
}

function partsByNames(page: Page, main: Part | undefined): boolean[] {
  const beside: boolean[] = [];
  for (const part of page.parts) {
    const isWithin = part.parent ? beside[part.parent.index]! : false;
    beside.push(isWithin || isBeside(page, part, main !== undefined));
  }
  return beside;
}

function mainOf(page: Page): Part | undefined {
  return page.parts.find(
    (part) =>
      (part.tagName === 'main' || attribute(part.element, 'role') === 'main') &&
      weightOf(page, part) > weightOf(page, page.parts[0]!) * MIN_MAIN_SHARE,
  );
}

function isBeside(page: Page, part: Part, hasMain: boolean): boolean {
  const { tagName, element } = part;
  const length = sumOf(page, part, 'length');
  // An element with most of the text of the page contains the content, with one exception: a short notice below the title of a page with
  // hardly any other text.
  const isMost = weightOf(page, part) * 2 > weightOf(page, page.parts[0]!) && !isMenu(page, part);
  if (isMost && (length >= MIN_CONTENT_CHARACTERS || part.first <= page.title || page.title === -1)) return false;
  const isNamed =
    (((AROUND_BITS.get(tagName) ?? 0) & TAGS) !== 0 && !isNote(part)) ||
    BESIDE_ROLES.test(attribute(element, 'role') ?? '');
  if (isNamed && !isMost) return true;
  if (
    tagName === 'table' &&
    part.depth === 1 &&
    length < MIN_CONTENT_CHARACTERS &&
    sumOf(page, part, 'linked') >= length * MIN_NAVIGATION_LINK_SHARE
  ) {
    return true;
  }
  // If the page has a `main` element, a `header` or `footer` may belong to an article inside that element.
  if (!hasMain && (tagName === 'header' || tagName === 'footer')) return true;
  const names = `${attribute(element, 'class') ?? ''} ${part.name}`.slice(0, 400);
  const name = NAMES.exec(names);
  // A table of related things is a table of facts.
  if (!name || (tagName === 'table' && name[2] === 'related')) return false;
  return length < MIN_CONTENT_CHARACTERS || sumOf(page, part, 'linked') > length * MAX_LINK_SHARE;
}

function isMenu(page: Page, part: Part): boolean {
  if (part.tagName !== 'nav' && part.tagName !== 'aside') return false;
  const length = sumOf(page, part, 'length');
  return sumOf(page, part, 'linked') > length * MENU_LINKS && page.length - length >= OTHER_TEXT;
}

function isNote({ tagName, element }: Part): boolean {
  const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'role') ?? ''}`;
  return tagName === 'aside' && NOTES.test(names.slice(0, 400));
}
