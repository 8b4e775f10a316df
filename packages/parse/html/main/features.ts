import type { Block } from './block-text.js';
import { FAMILY } from './class-words.js';
import { FIRST_WORD_NAMES } from './first-words.js';
import { isHeading, type Part } from './outline.js';
import { ancestor, AROUND_BITS, CORES, LISTS, sumOf, type Page } from './page.js';

/** A feature of a block: a number from the block and its page. It is mostly between 0 and 5, and rarely above 10. */
type Feature = (block: Block, page: Page) => number;

const share = (part: number, all: number): number => (all > 0 ? part / all : 0);
const log = (count: number): number => Math.log1p(Math.max(0, count));
const flag = (is: boolean): number => (is ? 1 : 0);
const sameTag = (...names: string[]): Feature => {
  const tags = new Set(names);
  return ({ part }) => flag(tags.has(part.tagName));
};

const CREDIT =
  /©|\(c\)|\b(fotos?|photos?|bild|bilder|image|crédit|credits?|quelle|source) ?:|getty|shutterstock|istock|pixabay|unsplash|\b(afp|dpa|reuters|imago)\b/i;

const SHAPE: Readonly<Record<string, Feature>> = {
  length: ({ length }) => log(length),
  tiny: ({ length }) => flag(length < 15),
  short: ({ length }) => flag(length < 40),
  middle: ({ length }) => flag(length >= 40 && length < 120),
  long: ({ length }) => flag(length > 250),
  prose: ({ isProse }) => flag(isProse),
  linked: ({ linked, length }) => Math.min(1, share(linked, length)),
  allLinks: ({ linked, length }) => flag(linked > 0.9 * length),
  halfLinks: ({ linked, length }) => flag(linked > 0.4 * length),
  noLink: ({ links }) => flag(links === 0),
  links: ({ links }) => log(links),
  linksPerLetter: ({ links, length }) => Math.min(2, share(links * 20, length)),
  commas: ({ commas }) => log(commas),
  commaRate: ({ commas, length }) => Math.min(3, share(commas * 60, length)),
  stops: ({ stops }) => log(stops),
  ends: ({ last }) => flag(last === 0x2e || last === 0x21 || last === 0x3f || last === 0x3002 || last === 0x22),
  endsColon: ({ last }) => flag(last === 0x3a),
  endsMore: ({ last }) => flag(last === 0x2026 || last === 0xbb || last === 0x3e || last === 0x203a),
  endsDigit: ({ last }) => flag(last >= 0x30 && last <= 0x39),
  startsLower: ({ start }) => flag(/^\s*\p{Ll}/u.test(start)),
  words: ({ spaces }) => log(spaces),
  wordLength: ({ length, spaces }) => Math.min(3, length / (spaces + 1) / 5),
  digits: ({ digits, length }) => share(digits, length),
  capitals: ({ capitals, length }) => share(capitals, length),
  capitalsPerWord: ({ capitals, spaces }) => Math.min(2, capitals / (spaces + 1)),
  pipes: ({ pipes }) => log(pipes),
  bold: ({ bold, length }) => share(bold, length),
  italic: ({ italic, length }) => share(italic, length),
  credit: ({ start, end, length }) => flag(length < 400 && CREDIT.test(start.slice(0, 30) + end.slice(-50))),
  picture: ({ pictures }) => flag(pictures > 0),
  pictures: ({ pictures }) => log(pictures),
  repeated: ({ isRepeated }) => flag(isRepeated),
};

const TAG: Readonly<Record<string, Feature>> = {
  isP: sameTag('p'),
  isLi: sameTag('li'),
  isCell: sameTag('td', 'th'),
  isH1: sameTag('h1'),
  isH2: sameTag('h2'),
  isH3: sameTag('h3', 'h4', 'h5', 'h6'),
  isBare: sameTag('div', 'section', 'article', 'main', 'body', 'aside', 'header', 'footer'),
  isTerm: sameTag('dt', 'dd'),
  isCaption: sameTag('figcaption', 'caption', 'figure'),
  isCode: sameTag('pre'),
  isButton: sameTag('button', 'summary', 'legend', 'option'),
  alone: ({ part }) => flag(part.end - part.first === 1),
};

const ANCESTORS = [1, 2, 3, 4];

const LARGE: ReadonlySet<string> = new Set(['article', 'main', 'section', 'aside', 'header', 'form', 'table', 'body']);

const STRUCTURE: Readonly<Record<string, Feature>> = {
  /**
   * For each of the four nearest elements above the element of the block: share of links, length, share of the prose of the page, and
   * share of short blocks.
   */
  ...Object.fromEntries(
    ANCESTORS.flatMap((steps): [string, Feature][] => [
      [`linked${steps}`, (b, page) => shareOf(page, ancestor(b, steps), 'linked')],
      [`length${steps}`, (b, page) => log(sumOf(page, ancestor(b, steps), 'length'))],
      [`prose${steps}`, (b, page) => Math.min(1, sumOf(page, ancestor(b, steps), 'prose') / page.prose)],
      [`short${steps}`, (b, page) => shortOf(page, ancestor(b, steps))],
    ]),
  ),
  /**
   * `in_`: whether the block is in an element of this name. `small_`: whether it is in an element of this name that has less than half of
   * the prose of the page.
   */
  ...Object.fromEntries(
    [...AROUND_BITS].flatMap(([name, bit]): [string, Feature][] => [
      [`small_${name}`, ({ part }, page) => flag((page.smallAround[part.index]! & bit) !== 0)],
      ...(LARGE.has(name)
        ? ([[`in_${name}`, ({ part }, page) => flag((page.around[part.index]! & bit) !== 0)]] as [string, Feature][])
        : []),
    ]),
  ),
  beside: ({ part }, page) => flag(page.beside[part.index] !== undefined),
  besideLength: ({ part }, page) => {
    const found = page.beside[part.index];
    return found ? log(sumOf(page, found, 'length')) : 0;
  },
  besideLinked: ({ part }, page) => {
    const found = page.beside[part.index];
    return found ? shareOf(page, found, 'linked') : 0;
  },
  besideProse: ({ part }, page) => {
    const found = page.beside[part.index];
    return found ? sumOf(page, found, 'prose') / page.prose : 0;
  },
  listLinked: (block, page) => {
    const list = listOf(block);
    return list ? shareOf(page, list, 'linked') : 0;
  },
  listMean: (block, page) => {
    const list = listOf(block);
    return list ? log(sumOf(page, list, 'length') / (list.end - list.first)) : 0;
  },
  depth: ({ part }) => log(part.depth),
};

function shareOf(page: Page, part: Part, which: 'linked' | 'prose'): number {
  return share(sumOf(page, part, which), sumOf(page, part, 'length'));
}

function shortOf(page: Page, part: Part): number {
  return share(sumOf(page, part, 'short'), part.end - part.first);
}

function listOf({ part }: Block): Part | undefined {
  let up: Part | undefined = part;
  for (let steps = 0; up && steps < 4; steps++, up = up.parent) if (LISTS.has(up.tagName)) return up;
  return undefined;
}

/**
 * Families of class words. `near_`: of the three nearest elements around the block. `all_`: of all elements around the block with less
 * than half of the prose of the page.
 */
const CLASSES: Readonly<Record<string, Feature>> = Object.fromEntries(
  Object.entries(FAMILY).flatMap(([name, bit]): [string, Feature][] => [
    [`near_${name}`, (block) => flag((nearWords(block) & bit) !== 0)],
    [`all_${name}`, ({ part, words }, page) => flag(((page.smallWords[part.index]! | words) & bit) !== 0)],
  ]),
);

function nearWords({ part, words }: Block): number {
  return words | part.words | (part.parent?.words ?? 0) | (part.parent?.parent?.words ?? 0);
}

const NEIGHBOURS = [-2, -1, 1, 2];

const PLACE: Readonly<Record<string, Feature>> = {
  place: ({ index }, page) => share(page.sums.length[index]!, page.length),
  fromStart: ({ index }) => log(index),
  fromEnd: ({ index }, page) => log(page.blocks.length - 1 - index),
  afterTitle: ({ index }, { title }) => flag(title >= 0 && index > title),
  isTitle: ({ index }, { title }) => flag(index === title),
  beforeTitle: ({ index }, { title }) => (title > index ? log(title - index) : 0),
  sinceTitle: ({ index }, { title }) => (title >= 0 && index > title ? log(index - title) : 0),
  afterProse: ({ index }, page) => log(index - page.proseBefore[index]! - 1),
  beforeProse: ({ index }, page) => log(page.proseAfter[index]! - index - 1),
  noProseBefore: ({ index }, page) => flag(page.proseBefore[index] === -1),
  noProseAfter: ({ index }, page) => flag(page.proseAfter[index] === page.blocks.length),
  proseLeft: ({ index }, page) => share(page.sums.prose[index]!, page.prose),
  nearestProse: ({ index }, page) =>
    log(Math.min(index - page.proseBefore[index]!, page.proseAfter[index]! - index) - 1),
  inTop: ({ index }, { top }) => flag(index >= top.first && index < top.end),
  beforeTop: ({ index }, { top }) => log(top.first - index),
  afterTop: ({ index }, { top }) => log(index - top.end + 1),
  topStart: ({ index }, { top }) => (index >= top.first && index < top.end ? log(index - top.first) : 0),
  topEnd: ({ index }, { top }) => (index >= top.first && index < top.end ? log(top.end - 1 - index) : 0),
  topSteps: ({ part, index }, { top }) =>
    index >= top.first && index < top.end ? Math.min(6, part.depth - top.depth) : 6,
  topProse: (_, page) => sumOf(page, page.top, 'prose') / page.prose,
  ...Object.fromEntries(
    CORES.flatMap((part, i): [string, Feature][] => [
      [`core${part * 100}`, ({ index }, { cores }) => flag(index >= cores[i]!.first && index < cores[i]!.end)],
      [
        `steps${part * 100}`,
        ({ index, part: own }, { cores }) =>
          index >= cores[i]!.first && index < cores[i]!.end ? Math.min(6, own.depth - cores[i]!.depth) : 7,
      ],
    ]),
  ),
  ...Object.fromEntries(
    NEIGHBOURS.flatMap((by): [string, Feature][] => [
      [`length_${by}`, ({ index }, { blocks }) => log(blocks[index + by]?.length ?? 0)],
      [
        `linked_${by}`,
        ({ index }, { blocks }) => Math.min(1, share(blocks[index + by]?.linked ?? 0, blocks[index + by]?.length ?? 0)),
      ],
      [`prose_${by}`, ({ index }, { blocks }) => flag(blocks[index + by]?.isProse ?? false)],
    ]),
  ),
  sameBefore: ({ index, part }, { blocks }) => flag(blocks[index - 1]?.part.parent === part.parent),
  sameAfter: ({ index, part }, { blocks }) => flag(blocks[index + 1]?.part.parent === part.parent),
  picture_1: ({ index }, { blocks }) => flag((blocks[index + 1]?.pictures ?? 0) > 0),
  'picture_-1': ({ index }, { blocks }) => flag((blocks[index - 1]?.pictures ?? 0) > 0),
  headingBefore: ({ index }, { blocks }) => flag(index > 0 && isHeading(blocks[index - 1]!)),
  headingAfter: ({ index }, { blocks }) => flag(index + 1 < blocks.length && isHeading(blocks[index + 1]!)),
  sinceHeading: ({ index }, page) => log(index - Math.max(page.heading[index]!, 0)),
  pageProse: (_, page) => share(page.sums.prose[page.blocks.length]!, page.length),
  pageBlocks: (_, page) => log(page.blocks.length),
};

/** `says_`: the kinds that the first words of the block indicate. `under_`: the kinds that the heading above the block indicates. */
const WORDS: Readonly<Record<string, Feature>> = Object.fromEntries([
  ...FIRST_WORD_NAMES.map((name, i): [string, Feature] => [
    `says_${name}`,
    ({ says }) => flag((says & (1 << i)) !== 0),
  ]),
  ...FIRST_WORD_NAMES.map((name, i): [string, Feature] => [
    `under_${name}`,
    ({ index }, page) => flag(((page.blocks[page.heading[index]!]?.says ?? 0) & (1 << i)) !== 0),
  ]),
]);

export const FEATURES: Readonly<Record<string, Feature>> = {
  ...SHAPE,
  ...TAG,
  ...STRUCTURE,
  ...CLASSES,
  ...PLACE,
  ...WORDS,
};
