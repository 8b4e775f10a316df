import { createHash } from 'node:crypto';
import { hostKeyOfRow, hostOfKey, tryRowKeyOf, urlOf, type HostKey } from '../core/index.js';
import { NONE, createKeyJoin, growingArray, type KeyFile } from '../scan/index.js';
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

const DIGEST_WORDS = 4;
const HTTP = 0x80000000;
const MARKED = 1;
const HAS_SIMHASH = 2;
/** Bytes of memory to find the pages that others name as canonical. */
const JOIN_BYTES = 16 * 2 ** 20;

/**
 * A list of pages by number, in key order. So the pages of a host are consecutive. Each page takes 49 bytes. After the list has grown, up
 * to a third of its memory may be unused.
 */
export type PageList = ReturnType<typeof createPageList>;

/**
 * @param keys an empty key file. It gets the keys of the pages
 * @param folder for the files of a sort
 */
export function createPageList(keys: KeyFile, folder: string) {
  const digests = growingArray(Uint32Array);
  const simhashes = growingArray(Uint32Array);
  const identities = growingArray(Uint32Array);
  const hosts = growingArray(Uint32Array);
  const ranks = growingArray(Float64Array);
  const places = growingArray(Uint32Array);
  const flags = growingArray(Uint8Array);
  const hostKeys: HostKey[] = [];
  const canonicalJoin = createKeyJoin(folder, JOIN_BYTES);
  let canonicals: Uint32Array = new Uint32Array(0);

  return {
    get length() {
      return keys.length;
    },
    /** Adds a page. Its key must come after all others. */
    async push({ key, signature, canonical, rank = 0, simhash, identity = 0, isMarked }: ComparedPage): Promise<void> {
      const named = canonical === undefined ? undefined : tryRowKeyOf(canonical);
      if (named !== undefined) await canonicalJoin.add(named, keys.length);
      await keys.add(key);
      for (const word of digestOf(signature)) digests.push(word);
      simhashes.push(simhash?.high ?? 0);
      simhashes.push(simhash?.low ?? 0);
      identities.push(identity);
      const host = hostKeyOfRow(key);
      if (host !== hostKeys.at(-1)) hostKeys.push(host);
      hosts.push(hostKeys.length - 1);
      ranks.push(rank);
      const url = urlOf(key);
      places.push(((url.startsWith('https:') ? 0 : HTTP) | Math.min(url.length, HTTP - 1)) >>> 0);
      flags.push((isMarked ? MARKED : 0) | (simhash ? HAS_SIMHASH : 0));
    },
    /** Finds the canonical pages. Call it once, after the last page. */
    async end(): Promise<void> {
      await keys.flush();
      canonicals = await canonicalJoin.numbers(keys.path, keys.length);
    },
    keyOf: (page: number): Promise<string> => keys.get(page),
    isMarked: (page: number): boolean => (flags.at(page) & MARKED) !== 0,
    hasSimhash: (page: number): boolean => (flags.at(page) & HAS_SIMHASH) !== 0,
    highOf: (page: number): number => simhashes.at(page * 2),
    lowOf: (page: number): number => simhashes.at(page * 2 + 1),
    identityOf: (page: number): number => identities.at(page),
    get hosts() {
      return hostKeys.length;
    },
    hostOf: (page: number): number => hosts.at(page),
    nameOfHost: (host: number): string => hostOfKey(hostKeys[host]!),
    isOf(page: number, signature: string): boolean {
      return digestOf(signature).every((part, i) => digests.at(page * DIGEST_WORDS + i) === part);
    },
    compareSignatures(a: number, b: number): number {
      for (let i = 0; i < DIGEST_WORDS; i++) {
        const difference = digests.at(a * DIGEST_WORDS + i) - digests.at(b * DIGEST_WORDS + i);
        if (difference !== 0) return difference;
      }
      return 0;
    },
    compareSimhashes(a: number, b: number): number {
      return (
        simhashes.at(a * 2) - simhashes.at(b * 2) ||
        simhashes.at(a * 2 + 1) - simhashes.at(b * 2 + 1) ||
        identities.at(a) - identities.at(b)
      );
    },
    /** Number of bits in which the simhashes differ. Infinity if the identities differ. */
    distance(a: number, b: number): number {
      if (identities.at(a) !== identities.at(b)) return Infinity;
      return distanceOf(simhashes.at(a * 2), simhashes.at(a * 2 + 1), simhashes.at(b * 2), simhashes.at(b * 2 + 1));
    },
    /** Compares two pages by rank, then by https, length of the URL and key. The result is negative if `a` is preferred to `b`. */
    compareWorth(a: number, b: number): number {
      return ranks.at(b) - ranks.at(a) || places.at(a) - places.at(b) || a - b;
    },
    /** The number of the page that a page names as canonical; {@link NONE}: it names no page of the list. */
    canonicalOf: (page: number): number => canonicals[page] ?? NONE,
  };
}

/** The digest of a signature has a fixed length. A signature that a plugin makes may be any text. */
function digestOf(signature: string): readonly number[] {
  const bytes = createHash('md5').update(signature).digest();
  return [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
}
