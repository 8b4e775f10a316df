import { attribute } from '../html-tree.js';
import type { Block } from './block-text.js';
import { besideByNames } from './by-names.js';
import { FAMILY } from './class-words.js';
import { isHeading, type Part } from './outline.js';
import { AROUND_BITS, CORES, LISTS, sumOf, type Page } from './page.js';

const MIN_KEPT_CHANCE = 0.5;
/**
 * Lower minimum chances: for lists and tables that are in the article and have few links, for headings above a kept block, and for blocks
 * of pages with little kept text.
 */
const MIN_KEPT_LIST_CHANCE = 0.2;
const KEPT_HEADING = 0.2;
const KEPT_OF_LITTLE = 0.2;
/** Minimum chance of a caption, or of the text of a button, that is content. */
const MIN_SURE_CHANCE = 0.9;
/**
 * If less text than `MIN_KEPT_CHARACTERS` is kept, less likely blocks are kept too. If the kept text is then still shorter than
 * `MIN_LIKELY_CHARACTERS`, more blocks are kept.
 */
const MIN_KEPT_CHARACTERS = 200;
const MIN_LIKELY_CHARACTERS = 40;
/** A longer heading is a paragraph in large letters. */
const MAX_HEADING_CHARACTERS = 120;
/** Maximum numbers of blocks of an element around a heading and short blocks beside it, and of characters of such a block. */
const MAX_HEADING_BLOCKS = 4;
const MAX_BESIDE_HEADING = 30;
const MIN_CODE_SHARE = 0.9;
const MIN_MANY_LINKS_SHARE = 0.3;
const MIN_ALL_LINKS_SHARE = 0.9;

const CELLS: ReadonlySet<string> = new Set(['li', 'td', 'th', 'dd']);
/** Of a cell or an item that may contain a whole page. */
const MIN_PAGE_BLOCKS = 5;
/** Indexes in `cores`: of the smallest element with half of the prose, and of the smallest element with most of the prose. */
const HALF = CORES.indexOf(0.5);
const NEARLY_ALL = CORES.indexOf(0.9);
const HIDDEN = AROUND_BITS.get('hidden')!;
const CAPTION = AROUND_BITS.get('figcaption')!;

interface Verdicts {
  readonly page: Page;
  readonly chances: Float64Array;
  readonly shown: readonly boolean[];
  readonly kept: boolean[];
}

/**
 * Decides which blocks of a page are kept. A block is kept if its chance is high enough, with some exceptions. Lists, tables and lists of
 * terms are kept or dropped as a whole. Sections that are alike are kept as a whole, and so is code in a section. A heading is kept if text
 * below the heading is kept. If a page has text, some text is always kept.
 * @param options `captions`: whether to keep captions of pictures; `isManual`: whether the page is part of a manual, in which everything
 *   except navigation is kept
 */
export function keptBlocks(
  page: Page,
  chances: Float64Array,
  { captions, isManual }: { captions: boolean; isManual: boolean },
): boolean[] {
  const shown = shownBlocks(page);
  const kept = page.blocks.map(
    ({ part }, i) => shown[i]! && chances[i]! >= (part.tagName === 'button' ? MIN_SURE_CHANCE : MIN_KEPT_CHANCE),
  );
  const verdicts = { page, chances, shown, kept };
  if (isManual) keepByNames(verdicts);
  else {
    decideLists(verdicts, MIN_KEPT_CHANCE);
    keepSections(verdicts);
    if (lengthOf(page, kept) < MIN_KEPT_CHARACTERS) keepOfLittle(verdicts);
    decideCaptions(verdicts, captions);
    keepCode(verdicts);
    decideHeadings(verdicts);
  }
  if (kept.includes(true)) return kept;
  return shown.includes(true) ? shown : shown.map(() => true);
}

/**
 * Returns, for each block, whether it is visible. If most of the page is hidden, all blocks count as visible, because a script will show
 * them.
 */
function shownBlocks(page: Page): boolean[] {
  const shown = page.blocks.map(({ part }) => (page.around[part.index]! & HIDDEN) === 0);
  return lengthOf(page, shown) * 2 < page.length ? page.blocks.map(() => true) : shown;
}

function lengthOf({ blocks }: Page, kept: readonly boolean[]): number {
  return blocks.reduce((sum, { length }, i) => (kept[i] ? sum + length : sum), 0);
}

/**
 * Keeps or drops each outermost list or table by the mean chance of its blocks, weighted by length.
 * @param least the minimum chance of a list or table that is not clearly in the article
 */
function decideLists(verdicts: Verdicts, least: number): void {
  const { page, shown, kept } = verdicts;
  let decided = 0;
  for (const part of page.parts) {
    const { first, end, tagName } = part;
    if (first < decided || end - first < 2 || !LISTS.has(tagName) || isLayout(page, part)) continue;
    decided = end;
    const keep = hasChance(verdicts, [part], leastOf(page, part, least));
    for (let i = first; i < end; i++) kept[i] = keep && shown[i]!;
  }
}

function hasChance({ page, chances, shown }: Verdicts, parts: readonly Part[], least: number): boolean {
  let sum = 0;
  let length = 0;
  for (const { first, end } of parts) {
    for (let i = first; i < end; i++) {
      if (!shown[i]) continue;
      sum += chances[i]! * page.blocks[i]!.length;
      length += page.blocks[i]!.length;
    }
  }
  return sum >= length * least;
}

/**
 * Keeps sections that are alike as a whole, if their mean chance is high enough. Sections are alike if they are in the same element, have
 * the same tag and classes, and begin with a heading of the same rank. The model trusts the last section less, since an article often ends
 * with related links.
 */
function keepSections(verdicts: Verdicts): void {
  const { page, shown, kept } = verdicts;
  const alike = new Map<string, Part[]>();
  for (const part of page.parts) {
    const heading = page.blocks[part.first];
    if (heading?.part.parent !== part || !isHeading(heading) || page.beside[part.index]) continue;
    const classes = (attribute(part.element, 'class') ?? '').slice(0, 400);
    const kind = `${part.parent?.index} ${part.tagName} ${heading.part.tagName} ${classes}`;
    const sections = alike.get(kind);
    if (sections) sections.push(part);
    else alike.set(kind, [part]);
  }
  for (const sections of alike.values()) {
    if (sections.length < 2 || !hasChance(verdicts, sections, MIN_KEPT_CHANCE)) continue;
    for (const part of sections.filter((section) => hasFewLinks(page, section))) {
      for (let i = part.first; i < part.end; i++) kept[i] = shown[i]!;
    }
  }
}

function leastOf(page: Page, part: Part, least: number): number {
  if (!hasFewLinks(page, part) || !isInArticle(page, part)) return least;
  return part.tagName === 'dl' ? 0 : MIN_KEPT_LIST_CHANCE;
}

function hasFewLinks(page: Page, part: Part): boolean {
  return sumOf(page, part, 'linked') < MIN_MANY_LINKS_SHARE * sumOf(page, part, 'length');
}

function isInArticle(page: Page, part: Part): boolean {
  if (page.beside[part.index]) return false;
  return isIn(part, page.top) || isIn(part, page.cores[NEARLY_ALL]!) || isBelowTitle(page, part);
}

function isIn(part: Part, around: Part): boolean {
  return part.first >= around.first && part.end <= around.end;
}

/** Whether a part comes after the title, and ends before the end of the element that is most likely around the article. */
function isBelowTitle({ title, top }: Page, { first, end }: Part): boolean {
  return title >= 0 && first > title && end <= top.end;
}

/** Whether a list or table is only layout: one of its cells or items contains half of the prose of the page, in many blocks. */
function isLayout(page: Page, part: Part): boolean {
  let up: Part | undefined = page.cores[HALF];
  if (!up || up.first < part.first || up.end > part.end) return false;
  for (; up && up.depth > part.depth; up = up.parent) {
    if (CELLS.has(up.tagName) && up.end - up.first >= MIN_PAGE_BLOCKS) return true;
  }
  return false;
}

/** Keeps all visible blocks that are not beside the content. This depends only on the names of elements. */
function keepByNames({ page, shown, kept }: Verdicts): void {
  const beside = besideByNames(page);
  for (let i = 0; i < kept.length; i++) kept[i] = shown[i]! && !beside[i];
}

/**
 * Keeps more blocks of a page with little kept text. First it keeps less likely blocks, then all blocks that are not beside the content.
 */
function keepOfLittle(verdicts: Verdicts): void {
  const { page, chances, shown, kept } = verdicts;
  const { blocks, title } = page;
  const byNames = besideByNames(page);
  const isBeside = blocks.map(
    ({ part, linked, length }, i) =>
      byNames[i]! || part.tagName === 'button' || (i < title && linked > length * MIN_ALL_LINKS_SHARE),
  );
  const keep = (wanted: (index: number) => boolean): number => {
    for (let i = 0; i < kept.length; i++) kept[i] ||= shown[i]! && wanted(i);
    return lengthOf(page, kept);
  };
  keep((i) => chances[i]! >= KEPT_OF_LITTLE && blocks[i]!.part.tagName !== 'button');
  decideLists(verdicts, KEPT_OF_LITTLE);
  const likely = lengthOf(page, kept);
  const all = blocks.reduce((sum, { length }, i) => (isBeside[i] ? sum : sum + length), 0);
  if (likely >= MIN_LIKELY_CHARACTERS && all > 2 * MIN_KEPT_CHARACTERS) return;
  keep((i) => !isBeside[i]);
}

/** Drops captions of pictures. With `captions`, a caption is kept if a neighbour is kept. Captions of code and tables stay as they are. */
function decideCaptions({ page, chances, shown, kept }: Verdicts, captions: boolean): void {
  const isCaption = page.blocks.map(
    (block, i) => chances[i]! < MIN_SURE_CHANCE && isCaptionOfPicture(block, page.around[block.part.index]!),
  );
  if (isCaption.every((is) => is)) return;
  const stays = isCaption.map(() => false);
  const look = (from: number, step: number): void => {
    let isNear = false;
    for (let i = from; i >= 0 && i < kept.length; i += step) {
      if (!isCaption[i]) isNear = kept[i]!;
      else if (isNear) stays[i] = captions && shown[i]!;
    }
  };
  look(0, 1);
  look(kept.length - 1, -1);
  for (let i = 0; i < kept.length; i++) if (isCaption[i]) kept[i] = stays[i]!;
}

function isCaptionOfPicture({ part, pictures, words, length }: Block, around: number): boolean {
  if ((around & CAPTION) !== 0) {
    let figure = part;
    while (figure.parent && figure.tagName !== 'figcaption') figure = figure.parent;
    const { first, end } = figure;
    return figure.parent?.tagName !== 'figure' || figure.parent.end - figure.parent.first === end - first;
  }
  return pictures > 0 && length < MIN_KEPT_CHARACTERS && ((words | part.words) & FAMILY.caption) !== 0;
}

/** Keeps the code of a section, or behind a block, that is kept. The model knows a long block of code, and not a line of it. */
function keepCode({ page, shown, kept }: Verdicts): void {
  const { blocks, heading, beside } = page;
  const keptSections = new Set(heading.filter((_, i) => kept[i]! && !isHeading(blocks[i]!)));
  blocks.forEach(({ part, code, length }, i) => {
    const isCode = part.tagName === 'pre' || (code > length * MIN_CODE_SHARE && length > MAX_BESIDE_HEADING);
    if (!isCode || !shown[i] || beside[part.index]) return;
    kept[i] ||= keptSections.has(heading[i]!) || (kept[i - 1] ?? false);
  });
}

/**
 * Keeps a heading if text between this heading and the next heading of its rank is kept. The heading that is the title of the page is
 * also kept.
 */
function decideHeadings({ page, chances, shown, kept }: Verdicts): void {
  const { blocks, title, isTitled } = page;
  /** For each rank of headings, whether a kept block comes before the next heading of this rank. */
  const hasKept = new Array<boolean>(7).fill(false);
  for (let i = blocks.length - 1; i >= 0; i--) {
    const block = blocks[i]!;
    if (!isHeading(block)) {
      if (kept[i]) hasKept.fill(true);
      continue;
    }
    const rank = Number(block.part.tagName[1]);
    const below = belowHeading(page, i);
    const isPlaced = chances[i]! >= KEPT_HEADING || (below > i + 1 && isInArticle(page, block.part));
    const isLikely = kept[below] === true && isPlaced;
    const isText = kept[i]! && block.length > MAX_HEADING_CHARACTERS;
    const stays = isText || (hasKept[rank]! && (kept[i]! || isLikely || i === title));
    kept[i] = shown[i]! && (stays || (i === title && isTitled));
    hasKept.fill(false, rank);
    if (kept[i]) hasKept.fill(true, 0, rank);
  }
}

/**
 * The block below a heading. Short blocks in a small element around the heading are beside it, such as a link to edit the section. They
 * say nothing about the text below, but make the heading look like one of a box beside the article.
 */
function belowHeading({ blocks }: Page, index: number): number {
  const box = blocks[index]!.part.parent!;
  if (box.end - box.first > MAX_HEADING_BLOCKS) return index + 1;
  const isBeside = blocks.slice(index + 1, box.end).every(({ length }) => length <= MAX_BESIDE_HEADING);
  return isBeside ? box.end : index + 1;
}
