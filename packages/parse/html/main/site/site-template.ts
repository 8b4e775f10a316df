import { chanceOf } from '../verdict.js';
import { hashedWith, type BlockTraits, type PageTraits, type PartTraits } from './page-traits.js';

/** Pages whose prose is in the same place. */
export interface Layout {
  readonly pages: number;
  /** The share of their own prose in places where the model refuses prose. */
  readonly refused: number;
  readonly isArticles: boolean;
  /** For articles: for each place, the mean logit of its blocks, and the number of pages with this place. */
  readonly places: ReadonlyMap<number, Place>;
}

/** A place is the chain of elements around a block, with their common class names. */
export interface Place {
  readonly logit: number;
  readonly pages: number;
}

/** What a sample of pages shows about their site. It has no text. */
export interface SiteTemplate {
  readonly pages: number;
  /** Number of pages that are manuals, each for itself, or by the share of code in the text that is only on this page. */
  readonly manuals: number;
  readonly isManual: boolean;
  /** Number of pages with each class name. Rare names are left out. */
  readonly classes: ReadonlyMap<string, number>;
  /** Number of pages with each block that is on several pages. */
  readonly repeated: ReadonlyMap<number, number>;
  /** By the hash of the layout. */
  readonly layouts: ReadonlyMap<number, Layout>;
}

export const MIN_PAGES = 5;
/** A block is the own text of a page if it is on less than this share of the other pages. */
const OWN = 0.3;
const MIN_MANUAL_CODE_SHARE = 0.08;
/** A site is a manual if at least this share of its pages are, and at least two. A site that was one stays one down to `STILL_MANUAL`. */
const MANUAL = 0.05;
const STILL_MANUAL = 0.03;
const MIN_MANUALS = 2;
/**
 * The pages of a layout are articles if the model refuses at least this share of their own prose; see {@link MANUAL} for the second value.
 */
const REFUSED = 0.05;
const STILL_REFUSED = 0.03;
/** Minimum share, and minimum number, of the pages of a layout that have prose in a place. Other places do not count for `refused`. */
const USUAL_PLACE = 0.25;
const MIN_PLACE_PAGES = 4;
/** A block counts with at most this length for the mean of its place. */
const MAX_WEIGHT = 200;
const MIN_COMMON_CLASS_PAGES = 3;
const PLACE_LEVELS = 6;
const MAX_LAYOUT_CONTAINERS = 3;
const CONTAINERS: ReadonlySet<string> = new Set(['div', 'main', 'section', 'article', 'td', 'form', 'center', 'aside']);
/** Maximum numbers of class names and of repeated blocks in a template. */
const MAX_CLASSES = 1000;
const MAX_REPEATED = 500;
/** Hash of the layout that all pages have: text in the body. */
const BODY = hashedWith(0, 'body');

/**
 * Learns the template of a site from a sample of its pages. The result depends only on the set of pages, not on their order.
 * @param before the template that this one replaces. The kind of a site changes only if the pages differ clearly from what it was.
 */
export function learnSite(pages: readonly PageTraits[], before?: SiteTemplate): SiteTemplate {
  const names = countsOf(pages.map(({ parts }) => parts.flatMap((part) => part.classes)));
  const classes = mostFrequent(names, minClassPages(pages.length), MAX_CLASSES);
  const hashes = countsOf(pages.map(({ blocks }) => blocks.map(({ hash }) => hash)));
  const isOwn = ({ hash }: BlockTraits): boolean => hashes.get(hash)! - 1 < OWN * (pages.length - 1);
  const manuals = pages.filter((page) => page.isManual || isMuchCode(page.blocks.filter(isOwn))).length;
  const share = before?.isManual === true ? STILL_MANUAL : MANUAL;
  return {
    pages: pages.length,
    manuals,
    isManual: manuals >= Math.max(MIN_MANUALS, share * pages.length),
    classes,
    repeated: mostFrequent(hashes, Math.max(2, OWN * pages.length), MAX_REPEATED),
    layouts: layoutsIn(pages, classes, isOwn, before),
  };
}

function countsOf<T>(pages: readonly (readonly T[])[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const page of pages) for (const value of new Set(page)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function isMuchCode(blocks: readonly BlockTraits[]): boolean {
  let [code, length] = [0, 0];
  for (const block of blocks) {
    code += block.code;
    length += block.length;
  }
  return code > length * MIN_MANUAL_CODE_SHARE;
}

function mostFrequent<T extends string | number>(
  counts: ReadonlyMap<T, number>,
  least: number,
  max: number,
): Map<T, number> {
  const entries = [...counts].filter(([, pages]) => pages >= least);
  return new Map(entries.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, max));
}

/** In a small sample, also names on two pages are common. */
function minClassPages(pages: number): number {
  return Math.min(MIN_COMMON_CLASS_PAGES, Math.max(2, Math.ceil(pages / 5)));
}

/** Minimum number of pages of a layout that is judged by itself. Smaller layouts are judged with the layout around them. */
export function minLayoutPages(pages: number): number {
  if (pages >= 40) return 10;
  return pages >= 16 ? 8 : MIN_PAGES;
}

interface Sums {
  pages: number;
  /** Sum of the mean logits of the pages. */
  logit: number;
  /** Sums over the own prose: number of characters, that number times the logit, and number of pages. */
  prose: number;
  proseLogit: number;
  prosePages: number;
}

function layoutsIn(
  pages: readonly PageTraits[],
  classes: ReadonlyMap<string, number>,
  isOwn: (block: BlockTraits) => boolean,
  before: SiteTemplate | undefined,
): Map<number, Layout> {
  const groups = new Map<number, { pages: number; readonly places: Map<number, Sums> }>();
  for (const page of pages) {
    const names = namesOf(page.parts, classes);
    const places = sumsOf(page, names, isOwn);
    for (const layout of layoutLevels(page, names, isOwn)) {
      let group = groups.get(layout);
      if (!group) groups.set(layout, (group = { pages: 0, places: new Map() }));
      group.pages++;
      for (const [place, sums] of places) addTo(group.places, place, sums);
    }
  }
  const layouts = new Map<number, Layout>();
  for (const [key, group] of [...groups].sort(([a], [b]) => a - b)) {
    if (group.pages < minLayoutPages(pages.length)) continue;
    const refused = refusedShare(group.pages, group.places);
    const least = before?.layouts.get(key)?.isArticles === true ? STILL_REFUSED : REFUSED;
    const isArticles = refused >= least;
    layouts.set(key, {
      pages: group.pages,
      refused,
      isArticles,
      places: isArticles ? placesOf(group.places) : new Map(),
    });
  }
  return layouts;
}

function refusedShare(pages: number, places: ReadonlyMap<number, Sums>): number {
  let [refused, all] = [0, 0];
  for (const { prose, proseLogit, prosePages } of places.values()) {
    all += prose;
    if (prosePages >= Math.max(MIN_PLACE_PAGES, USUAL_PLACE * pages) && proseLogit < 0) refused += prose;
  }
  return all === 0 ? 0 : refused / all;
}

function placesOf(sums: ReadonlyMap<number, Sums>): Map<number, Place> {
  const usual = [...sums].filter(([, { pages }]) => pages >= MIN_COMMON_CLASS_PAGES);
  const sorted = usual.sort(([a, one], [b, other]) => other.pages - one.pages || a - b);
  return new Map(sorted.map(([place, { logit, pages }]) => [place, { logit: logit / pages, pages }]));
}

function addTo(places: Map<number, Sums>, place: number, sums: Sums): void {
  const known = places.get(place);
  if (!known) return void places.set(place, { ...sums });
  known.pages += sums.pages;
  known.logit += sums.logit;
  known.prose += sums.prose;
  known.proseLogit += sums.proseLogit;
  known.prosePages += sums.prosePages;
}

function sumsOf({ blocks }: PageTraits, names: PartNames, isOwn: (block: BlockTraits) => boolean): Map<number, Sums> {
  const weights = new Map<number, { weight: number; logit: number; prose: number; proseLogit: number }>();
  for (const block of blocks) {
    const place = names.placeOf(block.part);
    let sums = weights.get(place);
    if (!sums) weights.set(place, (sums = { weight: 0, logit: 0, prose: 0, proseLogit: 0 }));
    const weight = Math.min(block.length, MAX_WEIGHT);
    sums.weight += weight;
    sums.logit += weight * block.logit;
    if (!block.isProse || !isOwn(block)) continue;
    sums.prose += block.length;
    sums.proseLogit += block.length * block.logit;
  }
  return new Map(
    [...weights].map(([place, { weight, logit, prose, proseLogit }]) => [
      place,
      { pages: 1, logit: weight === 0 ? 0 : logit / weight, prose, proseLogit, prosePages: prose > 0 ? 1 : 0 },
    ]),
  );
}

export interface PartNames {
  /** The hash of the place of a block, by the index of its part. */
  placeOf(part: number): number;
  /** The hashes of the layouts of a block in this part: the body, then each container around the block, at most three. */
  layoutsOf(part: number): readonly number[];
}

export function namesOf(parts: readonly PartTraits[], classes: ReadonlyMap<string, number>): PartNames {
  const isCommon = (name: string): boolean => (classes.get(name) ?? 0) >= MIN_COMMON_CLASS_PAGES;
  const names = parts.map(({ tagName, classes: own }) => `${tagName}.${own.filter(isCommon).sort().join('.')}`);
  const places = new Map<number, number>();
  const layouts: (readonly number[])[] = [];
  /** Whether each part, and all parts around it except the body, are containers. */
  const isWithin: boolean[] = [];
  for (const [i, { parent, tagName }] of parts.entries()) {
    const around = parent < 0 ? undefined : layouts[parent]!;
    isWithin.push(parent < 0 || (isWithin[parent]! && CONTAINERS.has(tagName)));
    if (!around) layouts.push([BODY]);
    else if (!isWithin[i] || around.length > MAX_LAYOUT_CONTAINERS) layouts.push(around);
    else layouts.push([...around, hashedWith(around.at(-1)!, names[i]!)]);
  }
  return {
    placeOf(part) {
      let place = places.get(part);
      if (place !== undefined) return place;
      place = 0;
      let up = part;
      for (let level = 0; up >= 0 && level < PLACE_LEVELS; level++, up = parts[up]!.parent) {
        place = hashedWith(place, names[up]!);
      }
      places.set(part, place);
      return place;
    },
    layoutsOf: (part) => layouts[part]!,
  };
}

export function layoutOfPage(page: PageTraits, { classes, repeated }: SiteTemplate): number {
  return layoutLevels(page, namesOf(page.parts, classes), ({ hash }) => !repeated.has(hash))[0]!;
}

/** Returns the hashes of the layouts of a page, the innermost first: the place of most of its own prose, and the containers around it. */
export function layoutLevels(
  { blocks }: PageTraits,
  names: PartNames,
  isOwn: (block: BlockTraits) => boolean,
): readonly number[] {
  const layouts = new Map<number, { readonly levels: readonly number[]; weight: number }>();
  let best: { readonly levels: readonly number[]; readonly weight: number } = { levels: [BODY], weight: 0 };
  for (const block of blocks) {
    if (!block.isProse || !isOwn(block)) continue;
    const levels = names.layoutsOf(block.part);
    const key = levels.at(-1)!;
    const layout = layouts.get(key) ?? { levels, weight: 0 };
    layout.weight += block.length * (0.05 + chanceOf(block.logit));
    layouts.set(key, layout);
  }
  for (const layout of layouts.values()) if (layout.weight > best.weight) best = layout;
  return best.levels.toReversed();
}
