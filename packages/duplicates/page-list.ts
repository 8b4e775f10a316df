import { createHash } from 'node:crypto';
import { rowKeyOf, urlOf } from '../../webtable/index.js';
import { createKeyList, grownTo, type KeyList } from './key-list.js';
import { distanceOf, type Simhash } from './simhash.js';

/** What is known of a page when it is compared. */
export interface ComparedPage {
  readonly key: string;
  readonly signature: string;
  /** The URL that the page names as its canonical one. */
  readonly canonical?: string | undefined;
  readonly rank?: number | undefined;
  /** Of a page with too few words, absent. */
  readonly simhash?: Simhash | undefined;
  /** The row has a `duplicateOf` already. */
  readonly isMarked: boolean;
}

/** Stands for no page. */
export const NONE = 0xffffffff;
/** Numbers of 32 bits in a digest of a signature. */
const DIGEST = 4;
const HTTP = 0x80000000;

/** Pages by number, in key order: 45 bytes for each, half as much again where it has just grown, and its key. */
export type PageList = ReturnType<typeof createPageList>;

export function createPageList() {
  const keys: KeyList = createKeyList();
  let digests = new Uint32Array(0);
  let simhashes = new Uint32Array(0);
  let canonicals = new Float64Array(0);
  let ranks = new Float64Array(0);
  let places = new Uint32Array(0);
  let flags = new Uint8Array(0);

  function grow(length: number): void {
    digests = grownTo(digests, length * DIGEST);
    simhashes = grownTo(simhashes, length * 2);
    canonicals = grownTo(canonicals, length);
    ranks = grownTo(ranks, length);
    places = grownTo(places, length);
    flags = grownTo(flags, length);
  }

  return {
    get length() {
      return keys.length;
    },
    /** Adds a page that comes after all others. */
    push({ key, signature, canonical, rank = 0, simhash, isMarked }: ComparedPage): void {
      const page = keys.length;
      if (page === flags.length) grow(Math.max(1024, Math.ceil(page * 1.5)));
      keys.push(key);
      digests.set(digestOf(signature), page * DIGEST);
      if (simhash) simhashes.set([simhash.high, simhash.low], page * 2);
      canonicals[page] = canonical === undefined ? NaN : shortHash(keyOf(canonical));
      ranks[page] = rank;
      const url = urlOf(key);
      places[page] = ((url.startsWith('https:') ? 0 : HTTP) | Math.min(url.length, HTTP - 1)) >>> 0;
      flags[page] = (isMarked ? 1 : 0) | (simhash ? 2 : 0);
    },
    keyOf: (page: number): string => keys.at(page),
    isMarked: (page: number): boolean => (flags[page]! & 1) !== 0,
    hasSimhash: (page: number): boolean => (flags[page]! & 2) !== 0,
    highOf: (page: number): number => simhashes[page * 2]!,
    lowOf: (page: number): number => simhashes[page * 2 + 1]!,
    /** Whether the signature of a page is this one. */
    isOf(page: number, signature: string): boolean {
      return digestOf(signature).every((part, i) => digests[page * DIGEST + i] === part);
    },
    /** Below 0, 0 or above: by the digest of the signature. */
    compareSignatures(a: number, b: number): number {
      for (let i = 0; i < DIGEST; i++) {
        const difference = digests[a * DIGEST + i]! - digests[b * DIGEST + i]!;
        if (difference !== 0) return difference;
      }
      return 0;
    },
    /** Below 0, 0 or above: by the simhash. */
    compareSimhashes(a: number, b: number): number {
      return simhashes[a * 2]! - simhashes[b * 2]! || simhashes[a * 2 + 1]! - simhashes[b * 2 + 1]!;
    },
    distance(a: number, b: number): number {
      return distanceOf(simhashes[a * 2]!, simhashes[a * 2 + 1]!, simhashes[b * 2]!, simhashes[b * 2 + 1]!);
    },
    /** Below 0 where `a` is rather kept than `b`: by rank, https, length of the URL, key. */
    compareWorth(a: number, b: number): number {
      return ranks[b]! - ranks[a]! || places[a]! - places[b]! || a - b;
    },
    /** For each page the one that it names as canonical, {@link NONE} where it names none that is here. */
    canonicals(): Uint32Array {
      const found = new Uint32Array(keys.length).fill(NONE);
      const naming = Uint32Array.from(canonicals.subarray(0, keys.length).keys()).filter(
        (page) => canonicals[page]! >= 0,
      );
      if (naming.length === 0) return found;
      naming.sort((a, b) => canonicals[a]! - canonicals[b]!);
      for (let page = 0; page < keys.length; page++) {
        const hash = shortHash(keys.at(page));
        let at = firstAtLeast(naming, (each) => canonicals[each]! >= hash);
        for (; at < naming.length && canonicals[naming[at]!] === hash; at++) found[naming[at]!] = page;
      }
      return found;
    },
  };
}

function firstAtLeast(sorted: Uint32Array, isAtLeast: (page: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtLeast(sorted[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Signatures of plugins may be any text. */
function digestOf(signature: string): readonly number[] {
  const bytes = createHash('md5').update(signature).digest();
  return [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
}

/** 48 bits of a digest: enough for which page is kept, on which nothing else rests. */
function shortHash(text: string): number {
  return createHash('md5').update(text).digest().readUIntLE(0, 6);
}

/** A row may hold a canonical URL that no table could. */
function keyOf(url: string): string {
  try {
    return rowKeyOf(url);
  } catch {
    return '';
  }
}
