import { isHeading, type Part } from '../outline.js';
import { chanceOf, judge } from '../verdict.js';
import { LISTS, sumOf, type Page } from '../page.js';
import { traitsOf, type PageTraits } from './page-traits.js';
import {
  layoutLevels,
  MIN_PAGES,
  minLayoutPages,
  namesOf,
  type Layout,
  type PartNames,
  type SiteTemplate,
} from './site-template.js';

/**
 * How a page is read. `marked`: it names a generator of manuals. `manual`: its site is a manual. `articles`: pages of its layout are
 * articles. `unknown`: its site is neither. `alone`: its site has too few pages, or the page is not like them.
 */
export type PageKind = 'marked' | 'manual' | 'articles' | 'unknown' | 'alone';

/** A page belongs to a site if at least this share of its class names are common there. */
const MIN_COMMON_SHARE_OF_PAGE = 0.5;
const MIN_COMMON_CLASS_SHARE = 0.2;
/** A block on at least this share of the pages is a constant part of the site, if the sample has at least `CONSTANT_PAGES`. */
const CONSTANT = 0.9;
const CONSTANT_PAGES = 16;
/** A list of links is a menu if at least this share of its text is repeated. The item of the current page often is not. */
const REPEATED_LIST = 0.8;
const ITEM_LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'dl']);
/** Weight of the mean of a place against the chance of the block itself. */
const POOLED = 0.7;

export interface SiteVerdict {
  readonly kind: PageKind;
  /** For each block, whether it is a constant part of the site, which is no content. Absent: no block is. */
  readonly constant?: readonly boolean[];
  /** The chances of the blocks, if the model was asked. For articles they are pooled over the same places of other pages. */
  readonly chances?: Float64Array;
}

/**
 * Applies the template of a site to one of its pages.
 * @param isMarked whether the page names a generator of manuals
 * @param isManual whether the page alone is read as part of a manual
 */
export function judgeBySite(page: Page, template: SiteTemplate, isMarked: boolean, isManual: boolean): SiteVerdict {
  if (template.pages < MIN_PAGES) return { kind: isMarked ? 'marked' : 'alone' };
  // The model takes most of the time, and only layouts of articles need it.
  const needsModel = !isMarked && [...template.layouts.values()].some(({ isArticles }) => isArticles);
  const chances = needsModel ? judge(page) : undefined;
  const traits = traitsOf(page, chances ?? new Float64Array(page.blocks.length), isManual);
  const isRepeated = repeatedBlocks(traits, template);
  if (isMarked) return { kind: 'marked', constant: menus(page, isRepeated) };
  if (!doesBelong(traits, template)) return { kind: 'alone', ...(chances && { chances }) };
  if (needsModel) {
    const names = namesOf(traits.parts, template.classes);
    const layout = layoutOf(traits, names, template);
    if (layout?.isArticles === true) {
      return { kind: 'articles', constant: constants(page, isRepeated), chances: pooled(traits, names, layout) };
    }
  }
  if (template.isManual) return { kind: 'manual', constant: menus(page, isRepeated) };
  return { kind: 'unknown', constant: constants(page, isRepeated), ...(chances && { chances }) };
}

function doesBelong({ parts }: PageTraits, { classes, pages }: SiteTemplate): boolean {
  const own = new Set(parts.flatMap((part) => part.classes));
  let common = 0;
  for (const name of own) if ((classes.get(name) ?? 0) >= MIN_COMMON_CLASS_SHARE * pages) common++;
  return common >= MIN_COMMON_SHARE_OF_PAGE * own.size;
}

function layoutOf(
  traits: PageTraits,
  names: PartNames,
  { pages, repeated, layouts }: SiteTemplate,
): Layout | undefined {
  const levels = layoutLevels(traits, names, ({ hash }) => !repeated.has(hash));
  const key = levels.find((level) => (layouts.get(level)?.pages ?? 0) >= minLayoutPages(pages));
  return key === undefined ? undefined : layouts.get(key);
}

function repeatedBlocks({ blocks }: PageTraits, { repeated, pages }: SiteTemplate): boolean[] {
  if (pages < CONSTANT_PAGES) return blocks.map(() => false);
  return blocks.map(({ hash }) => (repeated.get(hash) ?? 0) >= CONSTANT * pages);
}

/**
 * The elements that consist of links and are repeated as a whole. In a manual, other text that is repeated is content. A list goes or stays
 * as a whole: one without some of its items would look complete.
 */
function menus(page: Page, isRepeated: readonly boolean[]): boolean[] {
  const sums = repeatedSums(page, isRepeated);
  const marked = page.blocks.map(() => false);
  let decided = 0;
  for (const part of page.parts) {
    const { first, end, tagName } = part;
    const length = sumOf(page, part, 'length');
    if (first < decided || end === first) continue;
    const isList = ITEM_LISTS.has(tagName);
    if (isList) decided = end;
    const isMenu = sumOf(page, part, 'linked') > length / 2;
    if (!isMenu || sums[end]! - sums[first]! < length * (isList ? REPEATED_LIST : 1)) continue;
    decided = end;
    for (let i = first; i < end; i++) marked[i] = !isHeading(page.blocks[i]!);
  }
  return marked;
}

function repeatedSums({ blocks }: Page, isRepeated: readonly boolean[]): Float64Array {
  const sums = new Float64Array(blocks.length + 1);
  blocks.forEach(({ length }, i) => (sums[i + 1] = sums[i]! + (isRepeated[i] ? length : 0)));
  return sums;
}

/** The elements that are repeated as a whole, except headings and parts of a list or table that also has other text. */
function constants(page: Page, isRepeated: readonly boolean[]): boolean[] {
  const all = wholly(page, isRepeated);
  const isHeadings = ({ first, end }: Part): boolean => page.blocks.slice(first, end).every(isHeading);
  const marked = page.blocks.map(() => false);
  const isInList: boolean[] = [];
  for (const part of page.parts) {
    const isWithin = (part.parent ? isInList[part.parent.index]! : false) || (LISTS.has(part.tagName) && !all(part));
    isInList.push(isWithin);
    if (all(part) && !isWithin && !isHeadings(part)) marked.fill(true, part.first, part.end);
  }
  return marked;
}

function wholly({ blocks }: Page, isRepeated: readonly boolean[]): (part: Part) => boolean {
  const before = new Int32Array(blocks.length + 1);
  for (let i = 0; i < blocks.length; i++) before[i + 1] = before[i]! + (isRepeated[i] ? 1 : 0);
  return ({ first, end }) => end > first && before[end]! - before[first]! === end - first;
}

function pooled({ blocks }: PageTraits, names: PartNames, { places }: Layout): Float64Array {
  return Float64Array.from(blocks, ({ part, logit }) => {
    const place = places.get(names.placeOf(part));
    if (!place) return chanceOf(logit);
    const weight = (POOLED * place.pages) / (place.pages + 2);
    return chanceOf(logit * (1 - weight) + weight * place.logit);
  });
}
