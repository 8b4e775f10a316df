import type { EventLoopTurns } from '../../webtable/index.js';
import { findLeaders } from './leaders.js';
import { NONE, type PageList } from './page-list.js';

/** Says which of two comes first. */
type Compare = (a: number, b: number) => number;

/** Which pages are duplicates, and of which. */
export interface Groups {
  /** For each page the one that is kept in its place: itself, where it is no duplicate. */
  readonly keptOf: Uint32Array;
  /** Duplicates by signature. */
  readonly exact: number;
  /** Duplicates by simhash only. */
  readonly near: number;
  /** Pages that are kept and have duplicates. */
  readonly groups: number;
  /** See {@link findLeaders}. */
  readonly crowded: number;
}

/** How to compare, and what to do meanwhile. */
export interface GroupOptions {
  /** Bits in which the simhashes of two near pages differ at the most; undefined: only signatures count. */
  readonly distance: number | undefined;
  readonly turns: EventLoopTurns;
  readonly isAborted: () => boolean;
}

/**
 * Forms groups. First of all pages with the same signature one is kept, then of those that are left and have the same simhash, and of
 * what is left then those that {@link findLeaders} names: so no chain of small differences joins unlike pages. Every duplicate has the
 * signature of the page that is kept, or is near it itself.
 * @returns undefined when it was aborted
 */
export async function formGroups(pages: PageList, options: GroupOptions): Promise<Groups | undefined> {
  const { distance } = options;
  const isAlike = likeness(pages, distance);
  const compare = comparison(pages, isAlike);
  const keptOf = Uint32Array.from({ length: pages.length }, (_, page) => page);
  const exact = keepFirst(keptOf.slice(), keptOf, pages.compareSignatures, compare);
  let near = 0;
  let crowded = 0;
  if (distance !== undefined) {
    const compared = (): Uint32Array => keptOf.filter((kept, page) => kept === page && pages.hasSimhash(page));
    near += keepFirst(compared(), keptOf, pages.compareSimhashes, compare);
    const different = compared().sort(compare);
    const high = different.map((page) => pages.highOf(page));
    const low = different.map((page) => pages.lowOf(page));
    const found = await findLeaders({ high, low }, distance, options);
    if (!found) return undefined;
    crowded = found.crowded;
    for (const [i, leader] of found.leaderOf.entries()) {
      if (leader === i) continue;
      keptOf[different[i]!] = different[leader]!;
      near += 1;
    }
  }
  follow(keptOf);
  const parted = part(pages, keptOf, isAlike, compare);
  return { keptOf, exact: exact - parted, near, groups: countKept(keptOf), crowded };
}

/** Of those that are equal by `same`, keeps the first by `compare`. @returns how many others there are */
function keepFirst(members: Uint32Array, keptOf: Uint32Array, same: Compare, compare: Compare): number {
  members.sort((a, b) => same(a, b) || compare(a, b));
  let first = members[0]!;
  let others = 0;
  for (const member of members.subarray(1)) {
    if (same(first, member) === 0) {
      keptOf[member] = first;
      others += 1;
    } else first = member;
  }
  return others;
}

/** A kept page may have become a duplicate itself in a later step; its duplicates go with it. */
function follow(keptOf: Uint32Array): void {
  for (let page = 0; page < keptOf.length; page++) {
    let kept = keptOf[page]!;
    while (keptOf[kept] !== kept) kept = keptOf[kept]!;
    keptOf[page] = kept;
  }
}

/**
 * Parts from their kept page those that have come to it with another page of their signature, and are not near it themselves: a signature
 * may leave out what a simhash goes by. Of those with the same signature one is kept. @returns how many are kept now
 */
function part(
  pages: PageList,
  keptOf: Uint32Array,
  isAlike: (a: number, b: number) => boolean,
  compare: Compare,
): number {
  const apart = keptOf.map((_, page) => page).filter((page) => !isAlike(page, keptOf[page]!));
  for (const page of apart) keptOf[page] = page;
  return apart.length - keepFirst(apart, keptOf, pages.compareSignatures, compare);
}

/** Pages that are kept for others. */
function countKept(keptOf: Uint32Array): number {
  const isKept = new Uint8Array(keptOf.length);
  for (const [page, kept] of keptOf.entries()) if (kept !== page) isKept[kept] = 1;
  return isKept.reduce((sum, each) => sum + each, 0);
}

/** Whether two pages may be in one group: they have the same signature, or their texts are near. */
function likeness(pages: PageList, distance: number | undefined): (a: number, b: number) => boolean {
  return (a, b) =>
    a === b ||
    pages.compareSignatures(a, b) === 0 ||
    (distance !== undefined && pages.hasSimhash(a) && pages.hasSimhash(b) && pages.distance(a, b) <= distance);
}

/**
 * Which of two pages is rather kept: the one that more pages with the same text, itself included, name as canonical; then as
 * {@link PageList.compareWorth} says.
 */
function comparison(pages: PageList, isAlike: (a: number, b: number) => boolean): Compare {
  const votes = new Uint32Array(pages.length);
  for (const [page, canonical] of pages.canonicals().entries()) {
    if (canonical !== NONE && isAlike(page, canonical)) votes[canonical]! += 1;
  }
  return (a, b) => votes[b]! - votes[a]! || pages.compareWorth(a, b);
}
