import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { selector } from './selector.js';

export interface ContentBox {
  readonly box: string;
  /** Elements within the box that are not content. */
  readonly beside?: string | undefined;
}

/** Of words: those of the box, the kept ones of them, and all kept words. */
const COUNTS = [
  'pages',
  'words',
  'wordsKept',
  'found',
  'headings',
  'headingsLost',
  'pres',
  'presLost',
  'tables',
  'tablesLost',
] as const;

/** Sums over pages. A heading, `pre` or table is lost if less than half of its words are kept in an element of the same name. */
export type BoxScore = Record<(typeof COUNTS)[number], number>;

export function noBoxScore(): BoxScore {
  return Object.fromEntries(COUNTS.map((name) => [name, 0])) as BoxScore;
}

/**
 * Adds a page. Returns false, and adds nothing, for a page without words in its box. Kept text is looked up in the page by its words and by
 * the names of the elements around it. Text that is both within and outside of the box counts as text of the box.
 */
export function addBoxPage(
  score: BoxScore,
  html: Buffer,
  { box, beside }: ContentBox,
  kept: Tree.Element | undefined,
): boolean {
  const isBox = selector(box);
  const isBeside = beside === undefined ? () => false : selector(beside);
  const page = readTree(parse(decoded(html)), 'outside', (element, place) => {
    if (place === 'beside' || isBeside(element)) return 'beside';
    return place === 'outside' && isBox(element) ? 'content' : place;
  });
  const wanted = page.blocks.filter(isContent);
  if (wanted.length === 0) return false;
  const found = kept ? readTree(kept, 'content', (_, place) => place).blocks : [];
  match([...wanted, ...page.blocks.filter((block) => !isContent(block))], found);
  score.pages += 1;
  score.words += sum(wanted, ({ words }) => words.length);
  score.wordsKept += sum(wanted, ({ matched }) => matched);
  score.found += sum(found, ({ words }) => words.length);
  for (const { kind, blocks } of page.parts) {
    score[kind] += 1;
    const matched = sum(blocks, ({ matchedAsSame }) => matchedAsSame);
    if (matched * 2 < sum(blocks, ({ words }) => words.length)) score[`${kind}Lost`] += 1;
  }
  return true;
}

type Place = 'outside' | 'content' | 'beside';

interface Block {
  readonly words: readonly string[];
  readonly tags: readonly string[];
  readonly place: Place;
  /** How many of its words are found on the other side. */
  matched: number;
  /** The same, in an element of the same name. */
  matchedAsSame: number;
}

/** A heading, a `pre` or an outermost table of the content, with its blocks of content. */
interface Part {
  readonly kind: 'headings' | 'pres' | 'tables';
  readonly blocks: readonly Block[];
}

const INLINE =
  /^(a|abbr|acronym|b|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var)$/;
const MAX_TAGS = 3;
const UNSEEN = /^(head|script|style|noscript|template|svg)$/;

/** The blocks and parts of a tree. @param placeOf the place of an element by that of its parent */
function readTree(
  root: Tree.Node,
  rootPlace: Place,
  placeOf: (element: Tree.Element, place: Place) => Place,
): { blocks: Block[]; parts: Part[] } {
  const blocks: Block[] = [];
  const parts: Part[] = [];
  let text = '';
  const endBlock = (tags: readonly string[], place: Place): void => {
    const words = wordsOf(text);
    text = '';
    if (words.length > 0) blocks.push({ words, tags, place, matched: 0, matchedAsSame: 0 });
  };
  const readChildren = (parent: Tree.ParentNode, tags: readonly string[], place: Place, table: boolean): void => {
    for (const child of parent.childNodes) {
      if (child.nodeName === '#text') text += (child as Tree.TextNode).value;
      if ('tagName' in child && !isUnseen(child)) readElement(child, tags, place, table);
    }
  };
  const readElement = (element: Tree.Element, tags: readonly string[], outer: Place, table: boolean): void => {
    const { tagName } = element;
    const place = placeOf(element, outer);
    const isBlock = !INLINE.test(tagName) || place !== outer;
    if (isBlock) endBlock(tags, outer);
    const inner = isBlock ? [tagName, ...tags].slice(0, MAX_TAGS) : tags;
    const kind = place === 'content' && !(table && tagName === 'table') ? KINDS.get(tagName) : undefined;
    const first = blocks.length;
    readChildren(element, inner, place, table || kind === 'tables');
    if (isBlock) endBlock(inner, place);
    const content = kind ? blocks.slice(first).filter(isContent) : [];
    if (kind && content.length > 0) parts.push({ kind, blocks: content });
  };
  if ('childNodes' in root) readChildren(root, [], rootPlace, false);
  endBlock([], rootPlace);
  return { blocks, parts };
}

const KINDS: ReadonlyMap<string, Part['kind']> = new Map([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, 'headings'] as const),
  ['pre', 'pres'],
  ['table', 'tables'],
]);

function wordsOf(text: string): string[] {
  const plain = text.replace(/[*_`\\]/g, '').toLowerCase();
  return plain.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
}

function isUnseen({ tagName, attrs }: Tree.Element): boolean {
  if (UNSEEN.test(tagName)) return true;
  return attrs.some(({ name, value }) => name === 'hidden' || (name === 'style' && /display:\s*none/.test(value)));
}

function isContent({ place }: Block): boolean {
  return place === 'content';
}

/** Matches equal blocks, with fewer and fewer names around them, and then single words of those that are left. */
function match(page: readonly Block[], found: readonly Block[]): void {
  for (const names of [MAX_TAGS, 1, 0]) {
    const keyOf = ({ tags, words }: Block): string => `${tags.slice(0, names).join(' ')}|${words.join(' ')}`;
    const others = new Map<string, Block[]>();
    for (const block of found.filter(isUnmatched)) {
      const same = others.get(keyOf(block));
      if (same) same.push(block);
      else others.set(keyOf(block), [block]);
    }
    for (const block of page.filter(isUnmatched)) {
      const other = others.get(keyOf(block))?.shift();
      if (!other) continue;
      block.matched = other.matched = block.words.length;
      if (names > 0) block.matchedAsSame = block.matched;
    }
  }
  const words = new Map<string, number>();
  const named = new Map<string, number>();
  for (const block of found.filter(isUnmatched)) {
    for (const word of block.words) {
      words.set(word, (words.get(word) ?? 0) + 1);
      named.set(`${block.tags[0]} ${word}`, (named.get(`${block.tags[0]} ${word}`) ?? 0) + 1);
    }
  }
  for (const block of page.filter(isUnmatched)) {
    const taken = block.words.filter((word) => take(words, word));
    block.matched = taken.length;
    block.matchedAsSame = taken.filter((word) => take(named, `${block.tags[0]} ${word}`)).length;
  }
}

function isUnmatched({ matched }: Block): boolean {
  return matched === 0;
}

function take(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  if (count > 0) counts.set(key, count - 1);
  return count > 0;
}

function sum(blocks: readonly Block[], of: (block: Block) => number): number {
  return blocks.reduce((total, block) => total + of(block), 0);
}

function decoded(html: Buffer): string {
  const charset = /charset=["']?([\w-]+)/i.exec(html.toString('latin1', 0, 2048))?.[1];
  return new TextDecoder(charset).decode(html);
}
