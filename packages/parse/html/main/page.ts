import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute } from '../html-tree.js';
import { isLineNumbers } from '../code-elements.js';
import type { Block } from './block-text.js';
import { BESIDE } from './class-words.js';
import { firstWords } from './first-words.js';
import { flattenDeep } from './flatten.js';
import { isHeading, isHidden, readOutline, type Outline, type Part } from './outline.js';
import { isInTitle, titleIn } from './page-name.js';

/**
 * Names of the elements around a block that are features, one bit each. The last four are not names of elements. `role`: an element with
 * a role of elements beside the content. `hidden`: a hidden element. `mute`: an element that is hidden from screen readers. `body`: an
 * element that is marked as the body of an article.
 */
const AROUND =
  'article main section aside nav header footer form figure noscript table ul ol dl blockquote details address button dialog figcaption p role hidden mute body'.split(
    ' ',
  );
export const AROUND_BITS: ReadonlyMap<string, number> = new Map(AROUND.map((name, i) => [name, 1 << i]));

const BESIDE_TAGS = ['aside', 'nav', 'footer', 'form', 'noscript', 'dialog', 'role', 'hidden', 'mute'].reduce(
  (bits, name) => bits | AROUND_BITS.get(name)!,
  0,
);
export const BESIDE_ROLES =
  /^(navigation|banner|contentinfo|complementary|search|menu|menubar|dialog|toolbar|tablist)$/;

const MIN_LONG_BLOCK_CHARACTERS = 40;
/** The first words of a block show its kind only if the block has fewer characters. */
const MAX_TALKING_CHARACTERS = 160;
const MIN_PROSE_CHARACTERS = 60;
const MAX_PROSE_LINK_SHARE = 0.35;
const MAX_LITTLE_PROSE_SHARE = 0.15;
/** Shares of the prose of a page; features use the smallest element with each of these shares. */
export const CORES = [0.35, 0.5, 0.7, 0.9] as const;

/** For each block, sums over all blocks before it. So the sum over a run of blocks is the difference of two sums. */
interface Sums {
  readonly length: Float64Array;
  readonly linked: Float64Array;
  readonly prose: Float64Array;
  readonly short: Float64Array;
}

export interface Page extends Outline {
  readonly sums: Sums;
  /**
   * `length`: number of characters of the text of the page. `prose`: number of characters of its prose. If the page has little prose,
   * `prose` equals `length`.
   */
  readonly length: number;
  readonly prose: number;
  /**
   * Bits for each part. `around`: the names of the part and of all elements around it. `smallAround`: only the names of elements that
   * have less than half of the prose. `smallWords`: the families of class words of these small elements.
   */
  readonly around: Int32Array;
  readonly smallAround: Int32Array;
  readonly smallWords: Int32Array;
  /**
   * For each part, the nearest part that seems to be beside the content: the part itself, or a part around it. Undefined: there is no
   * such part.
   */
  readonly beside: readonly (Part | undefined)[];
  /** The part that is most likely around the article. */
  readonly top: Part;
  /** The smallest part with each share of {@link CORES} of the prose. */
  readonly cores: readonly Part[];
  /**
   * The index of a heading: the heading that is the title of the page, else the first `h1`, else the first heading. -1: the page has no
   * heading. See `titleOf`.
   */
  readonly title: number;
  readonly isTitled: boolean;
  /**
   * For each block, the indexes of the nearest prose before it and after it. If there is no prose before it, -1. If there is no prose
   * after it, the number of blocks.
   */
  readonly proseBefore: Int32Array;
  readonly proseAfter: Int32Array;
  /** For each block, the index of the heading above it. -1: there is no heading above it. */
  readonly heading: Int32Array;
}

/** Reads a page. Elements that are nested too deep are put side by side. */
export function readPage(document: Tree.Document, body: Tree.Element): Page {
  flattenDeep(body);
  const { blocks, parts } = readOutline(body);
  markRepeated(blocks);
  for (const block of blocks) {
    block.isProse = isProse(block);
    if (block.length < MAX_TALKING_CHARACTERS) block.says = firstWords(block.start);
  }
  const sums = sumsOf(blocks);
  const count = blocks.length;
  const length = sums.length[count]!;
  const prose = sums[basisOf(sums)][count]!;
  return {
    blocks,
    parts,
    sums,
    length,
    prose,
    ...aroundOf(parts, sums, prose),
    top: topOf(blocks, parts, sums),
    cores: CORES.map((part) => smallestWith(parts, sums, part)),
    ...titleOf(blocks, titleIn(document).toLowerCase()),
    ...nearestOf(blocks),
  };
}

export function sumOf({ sums }: Pick<Page, 'sums'>, { first, end }: Part, which: keyof Sums): number {
  return sums[which][end]! - sums[which][first]!;
}

/** Returns the figure that shows where the content of a page is: its prose, or all of its text if it has little prose. */
function basisOf({ prose, length }: Sums): 'prose' | 'length' {
  return prose.at(-1)! > length.at(-1)! * MAX_LITTLE_PROSE_SHARE ? 'prose' : 'length';
}

/** Elements whose items or cells belong together. */
export const LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'dl', 'table']);

export function ancestor({ part }: Block, steps: number): Part {
  let up = part;
  for (let i = 0; i < steps && up.parent; i++) up = up.parent;
  return up;
}

function isProse({ length, linked, commas, stops, part }: Block): boolean {
  return (
    length >= MIN_PROSE_CHARACTERS &&
    linked < length * MAX_PROSE_LINK_SHARE &&
    commas + stops > 0 &&
    part.tagName !== 'button'
  );
}

function markRepeated(blocks: readonly Block[]): void {
  const found = new Map<number, Block>();
  for (const block of blocks) {
    const same = found.get(block.hash);
    if (same) same.isRepeated = block.isRepeated = true;
    else found.set(block.hash, block);
  }
}

function sumsOf(blocks: readonly Block[]): Sums {
  const make = (): Float64Array => new Float64Array(blocks.length + 1);
  const sums = { length: make(), linked: make(), prose: make(), short: make() };
  blocks.forEach(({ length, linked, isProse: prose }, i) => {
    sums.length[i + 1] = sums.length[i]! + length;
    sums.linked[i + 1] = sums.linked[i]! + linked;
    sums.prose[i + 1] = sums.prose[i]! + (prose ? length : 0);
    sums.short[i + 1] = sums.short[i]! + (length < MIN_LONG_BLOCK_CHARACTERS ? 1 : 0);
  });
  return sums;
}

function aroundOf(
  parts: readonly Part[],
  sums: Sums,
  prose: number,
): Pick<Page, 'around' | 'smallAround' | 'smallWords' | 'beside'> {
  const around = new Int32Array(parts.length);
  const smallAround = new Int32Array(parts.length);
  const smallWords = new Int32Array(parts.length);
  const beside: (Part | undefined)[] = [];
  const which = basisOf(sums);
  for (const part of parts) {
    const own = bitsOf(part);
    const up = part.parent?.index;
    const isSmall = sumOf({ sums }, part, which) < prose / 2;
    around[part.index] = own | (up === undefined ? 0 : around[up]!);
    smallAround[part.index] = (isSmall ? own : 0) | (up === undefined ? 0 : smallAround[up]!);
    smallWords[part.index] = (isSmall ? part.words : 0) | (up === undefined ? 0 : smallWords[up]!);
    const isBeside = isSmall && ((own & BESIDE_TAGS) !== 0 || (part.words & BESIDE) !== 0);
    beside.push(isBeside ? part : up === undefined ? undefined : beside[up]);
  }
  return { around, smallAround, smallWords, beside };
}

function bitsOf({ element, tagName }: Part): number {
  let bits = AROUND_BITS.get(tagName) ?? 0;
  if (element.attrs.length === 0) return bits;
  if (BESIDE_ROLES.test(attribute(element, 'role') ?? '')) bits |= AROUND_BITS.get('role')!;
  // Names of tabs and line numbers are not content.
  const isNoText = attribute(element, 'role') === 'tablist' || isLineNumbers(element);
  if (isHidden(element) || isNoText) bits |= AROUND_BITS.get('hidden')!;
  if (attribute(element, 'aria-hidden') === 'true') bits |= AROUND_BITS.get('mute')!;
  if (/articlebody/i.test((attribute(element, 'itemprop') ?? '').slice(0, 100))) bits |= AROUND_BITS.get('body')!;
  return bits;
}

/**
 * Finds the part that is most likely around the article. Each longer block gives points to its part, for commas and length. The parts
 * above get fewer points.
 */
function topOf(blocks: readonly Block[], parts: readonly Part[], sums: Sums): Part {
  const scores = new Float64Array(parts.length);
  for (const { length, linked, commas, part } of blocks) {
    if (length < 25 || linked > length / 2) continue;
    let points = 1 + commas + Math.min(3, length / 100);
    // An element with only one block cannot be around an article. An example is the element `p`.
    let to: Part | undefined = part.end - part.first === 1 ? part.parent : part;
    for (let steps = 0; to && steps < 5; steps++, to = to.parent) {
      scores[to.index] = scores[to.index]! + points;
      points = steps === 0 ? points / 2 : points / 1.5;
    }
  }
  let top = parts[0]!;
  let best = 0;
  for (const part of parts) {
    const length = sumOf({ sums }, part, 'length');
    const score = length > 0 ? scores[part.index]! * (1 - sumOf({ sums }, part, 'linked') / length) : 0;
    if (score > best) {
      best = score;
      top = part;
    }
  }
  return top;
}

function smallestWith(parts: readonly Part[], sums: Sums, share: number): Part {
  const which = basisOf(sums);
  const wanted = sums[which].at(-1)! * share;
  let found = parts[0]!;
  for (const part of parts) {
    if (part.parent === found && sumOf({ sums }, part, which) >= wanted) found = part;
  }
  return found;
}

/**
 * Finds the heading that is the title of the page: the last `h1` that the `title` contains, or if the page has no `h1`, the first such
 * heading. An `h1` that is a link to another page is often the name of the site, so other headings come before it.
 */
function titleOf(blocks: readonly Block[], title: string): Pick<Page, 'title' | 'isTitled'> {
  const headings = blocks.filter(isHeading);
  const top = headings.filter(({ part }) => part.tagName === 'h1');
  const own = top.filter((block) => !isLinkToOther(block));
  const names = (block: Block): boolean => isInTitle(block, title);
  const others = own.length > 0 ? [] : headings.filter(({ part }) => part.tagName !== 'h1');
  const named = own.findLast(names) ?? others.find(names) ?? (own.length > 0 ? undefined : top.findLast(names));
  const found = named ?? own[0] ?? top[0] ?? headings[0];
  return { title: found?.index ?? -1, isTitled: named !== undefined };
}

function isLinkToOther({ linked, length, nodes, part }: Block): boolean {
  if (linked < length) return false;
  let around = nodes[0]!.parentNode as Tree.Element | null;
  while (around && around !== part.element && around.tagName !== 'a') around = around.parentNode as Tree.Element | null;
  return around?.tagName === 'a' && !(attribute(around, 'href') ?? '#').startsWith('#');
}

function nearestOf(blocks: readonly Block[]): Pick<Page, 'proseBefore' | 'proseAfter' | 'heading'> {
  const count = blocks.length;
  const proseBefore = new Int32Array(count);
  const proseAfter = new Int32Array(count);
  const heading = new Int32Array(count);
  let prose = -1;
  let above = -1;
  for (let i = 0; i < count; i++) {
    proseBefore[i] = prose;
    heading[i] = above;
    if (blocks[i]!.isProse) prose = i;
    if (isHeading(blocks[i]!)) above = i;
  }
  let after = count;
  for (let i = count - 1; i >= 0; i--) {
    proseAfter[i] = after;
    if (blocks[i]!.isProse) after = i;
  }
  return { proseBefore, proseAfter, heading };
}
