import type { TimeSlice } from '../core/index.js';
import { NONE } from '../scan/index.js';
import { findLeaders } from './leaders.js';
import type { PageList } from './page-list.js';

type Compare = (a: number, b: number) => number;

export interface Groups {
  /** For each page, the number of the page that is kept instead of it. For a page that is no duplicate, its own number. */
  readonly keptOf: Uint32Array;
  /** Number of duplicates by signature. */
  readonly exact: number;
  /** Number of duplicates by simhash only. */
  readonly near: number;
  /** Number of kept pages with duplicates. */
  readonly groups: number;
  /** Number of comparisons that were skipped, see {@link findLeaders}. */
  readonly crowded: number;
}

export interface GroupOptions {
  /** Maximum number of bits in which the simhashes of near duplicates differ. Undefined: only signatures are compared. */
  readonly distance: number | undefined;
  /** Whether a page may be a near duplicate. Absent: all pages with a simhash may. */
  readonly isComparable?: (page: number) => boolean;
  readonly timeSlice: TimeSlice;
  readonly isAborted: () => boolean;
}

/**
 * Forms groups in three steps. The first step keeps one of all pages with the same signature. The second step keeps one of the remaining
 * pages with the same simhash. The third step keeps the pages that {@link findLeaders} selects among the rest. Every duplicate has the
 * signature of its kept page, or its own text is near the text of that page. Therefore a chain of small differences never joins pages
 * that differ much.
 * @returns undefined when it was aborted
 */
export async function formGroups(pages: PageList, options: GroupOptions): Promise<Groups | undefined> {
  const { distance, isComparable = () => true } = options;
  const hasSimhash = (page: number): boolean => pages.hasSimhash(page) && isComparable(page);
  const isAlike = likeness(pages, distance, hasSimhash);
  const compare = comparison(pages, isAlike);
  const keptOf = Uint32Array.from({ length: pages.length }, (_, page) => page);
  const exact = keepFirst(keptOf.slice(), keptOf, pages.compareSignatures, compare);
  let near = 0;
  let crowded = 0;
  if (distance !== undefined) {
    const compared = (): Uint32Array => keptOf.filter((kept, page) => kept === page && hasSimhash(page));
    near += keepFirst(compared(), keptOf, pages.compareSimhashes, compare);
    const different = compared().sort(compare);
    const high = different.map((page) => pages.highOf(page));
    const low = different.map((page) => pages.lowOf(page));
    const identity = different.map((page) => pages.identityOf(page));
    const found = await findLeaders({ high, low, identity }, distance, options);
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

/**
 * Keeps one of all pages that are equal by `same`: the first one by `compare`.
 * @returns the number of pages that are not kept
 */
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

/**
 * Resolves chains of kept pages. A kept page may become a duplicate in a later step; its duplicates then get the kept page of that later
 * step.
 */
function follow(keptOf: Uint32Array): void {
  for (let page = 0; page < keptOf.length; page++) {
    let kept = keptOf[page]!;
    while (keptOf[kept] !== kept) kept = keptOf[kept]!;
    keptOf[page] = kept;
  }
}

/**
 * Separates each page whose text is not near the text of its kept page. Such a page was joined only because another page with the same
 * signature is near the kept page. This happens because a signature may ignore text that a simhash includes. Of the separated pages with
 * the same signature, one is kept.
 * @returns the number of pages that this step keeps
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

function countKept(keptOf: Uint32Array): number {
  const isKept = new Uint8Array(keptOf.length);
  for (const [page, kept] of keptOf.entries()) if (kept !== page) isKept[kept] = 1;
  return isKept.reduce((sum, each) => sum + each, 0);
}

/** Makes a function that tells whether two pages may be in one group: they have the same signature, or the same identity and near texts. */
function likeness(
  pages: PageList,
  distance: number | undefined,
  hasSimhash: (page: number) => boolean,
): (a: number, b: number) => boolean {
  return (a, b) =>
    a === b ||
    pages.compareSignatures(a, b) === 0 ||
    (distance !== undefined && hasSimhash(a) && hasSimhash(b) && pages.distance(a, b) <= distance);
}

/**
 * Makes a function that compares two pages by preference. It prefers the page that more pages with the same text name as canonical; a
 * page may name itself. If the numbers are equal, {@link PageList.compareWorth} decides.
 */
function comparison(pages: PageList, isAlike: (a: number, b: number) => boolean): Compare {
  const votes = new Uint32Array(pages.length);
  for (let page = 0; page < pages.length; page++) {
    const canonical = pages.canonicalOf(page);
    if (canonical !== NONE && isAlike(page, canonical)) votes[canonical]! += 1;
  }
  return (a, b) => votes[b]! - votes[a]! || pages.compareWorth(a, b);
}
