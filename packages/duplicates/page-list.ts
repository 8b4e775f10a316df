import { createHash } from 'node:crypto';
import { hostKeyOfRow, hostOfKey, rowKeyOf, urlOf, type HostKey } from '../core/index.js';
import { createKeyList, grownTo, type KeyList } from './key-list.js';
import { distanceOf, type Simhash } from './simhash.js';

interface ComparedPage {
  readonly key: string;
  readonly signature: string;
  readonly canonical?: string | undefined;
  readonly rank?: number | undefined;
  /** Absent: the page has too few words. */
  readonly simhash?: Simhash | undefined;
  /** The result of {@link identityOf}. It is needed only for a page with a simhash. */
  readonly identity?: number | undefined;
  /** Whether the row has a `duplicateOf` already. */
  readonly isMarked: boolean;
}

export const NO_PAGE = 0xffffffff;
const DIGEST_WORDS = 4;
const HTTP = 0x80000000;

/**
 * A list of pages by number, in key order. So the pages of a host are consecutive. Each page takes 53 bytes and its key. After the list
 * has grown, up to a third of its memory may be unused.
 */
export type PageList = ReturnType<typeof createPageList>;

export function createPageList() {
  const keys: KeyList = createKeyList();
  let digests = new Uint32Array(0);
  let simhashes = new Uint32Array(0);
  let identities = new Uint32Array(0);
  let hosts = new Uint32Array(0);
  const hostKeys: HostKey[] = [];
  let canonicals = new Float64Array(0);
  let ranks = new Float64Array(0);
  let places = new Uint32Array(0);
  let flags = new Uint8Array(0);

  function grow(length: number): void {
    digests = grownTo(digests, length * DIGEST_WORDS);
    simhashes = grownTo(simhashes, length * 2);
    identities = grownTo(identities, length);
    hosts = grownTo(hosts, length);
    canonicals = grownTo(canonicals, length);
    ranks = grownTo(ranks, length);
    places = grownTo(places, length);
    flags = grownTo(flags, length);
  }

  return {
    get length() {
      return keys.length;
    },
    /** Adds a page. Its key must come after all others. */
    push({ key, signature, canonical, rank = 0, simhash, identity = 0, isMarked }: ComparedPage): void {
      const page = keys.length;
      if (page === flags.length) grow(Math.max(1024, Math.ceil(page * 1.5)));
      keys.push(key);
      digests.set(digestOf(signature), page * DIGEST_WORDS);
      if (simhash) simhashes.set([simhash.high, simhash.low], page * 2);
      identities[page] = identity;
      const host = hostKeyOfRow(key);
      if (host !== hostKeys.at(-1)) hostKeys.push(host);
      hosts[page] = hostKeys.length - 1;
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
    identityOf: (page: number): number => identities[page]!,
    /** Number of hosts with pages. */
    get hosts() {
      return hostKeys.length;
    },
    /** The number of the host of a page. */
    hostOf: (page: number): number => hosts[page]!,
    nameOfHost: (host: number): string => hostOfKey(hostKeys[host]!),
    /** Whether a page has this signature. */
    isOf(page: number, signature: string): boolean {
      return digestOf(signature).every((part, i) => digests[page * DIGEST_WORDS + i] === part);
    },
    /** Compares two pages by the digest of the signature. The result is negative, 0 or positive. */
    compareSignatures(a: number, b: number): number {
      for (let i = 0; i < DIGEST_WORDS; i++) {
        const difference = digests[a * DIGEST_WORDS + i]! - digests[b * DIGEST_WORDS + i]!;
        if (difference !== 0) return difference;
      }
      return 0;
    },
    /** Compares two pages by the simhash, then by the identity. The result is negative, 0 or positive. */
    compareSimhashes(a: number, b: number): number {
      return (
        simhashes[a * 2]! - simhashes[b * 2]! ||
        simhashes[a * 2 + 1]! - simhashes[b * 2 + 1]! ||
        identities[a]! - identities[b]!
      );
    },
    /** Number of bits in which the simhashes differ. Infinity if the identities differ. */
    distance(a: number, b: number): number {
      if (identities[a] !== identities[b]) return Infinity;
      return distanceOf(simhashes[a * 2]!, simhashes[a * 2 + 1]!, simhashes[b * 2]!, simhashes[b * 2 + 1]!);
    },
    /** Compares two pages by rank, then by https, length of the URL and key. The result is negative if `a` is preferred to `b`. */
    compareWorth(a: number, b: number): number {
      return ranks[b]! - ranks[a]! || places[a]! - places[b]! || a - b;
    },
    /** Returns, for each page, the number of the page that it names as canonical. {@link NO_PAGE}: it names no page of the list. */
    canonicals(): Uint32Array {
      const found = new Uint32Array(keys.length).fill(NO_PAGE);
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

/** The digest of a signature has a fixed length. A signature that a plugin makes may be any text. */
function digestOf(signature: string): readonly number[] {
  const bytes = createHash('md5').update(signature).digest();
  return [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
}

/** Returns 48 bits of a digest. These are enough, because an error would only change which page is kept. */
function shortHash(text: string): number {
  return createHash('md5').update(text).digest().readUIntLE(0, 6);
}

/** Returns the row key of a canonical URL. Empty: a row cannot have this URL, although a page names it as canonical. */
function keyOf(url: string): string {
  try {
    return rowKeyOf(url);
  } catch {
    return '';
  }
}
