import { cellCodec } from './cell-codec.js';

/** The parts of a page that the change log compares. Each hash is a whole number below 2 ** 53; 0: the page does not have this part. */
export interface PageDigest {
  /** The version of the method that computed the hashes. Only digests with the same method can be compared. */
  readonly basis: number;
  /** Hash of the content: the text blocks in order. */
  readonly content: number;
  /** Hash of the text blocks, independent of their order. */
  readonly blocks: number;
  readonly title: number;
  readonly description: number;
  readonly canonical: number;
  /** Hash of the links to the same host, independent of their order. */
  readonly links: number;
  /** Hash of the links to other hosts, independent of their order. */
  readonly externalLinks: number;
  readonly noindex: boolean;
  /** Number of characters of the content. */
  readonly length: number;
  /** Number of links to the same host. */
  readonly linkCount: number;
  readonly externalLinkCount: number;
  /** The first characters of the title. */
  readonly titleText: string;
}

/** The links of a page that were added and removed. Of many URLs, only some are kept. */
export interface ChangedLinks {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Whether some URLs were left out. */
  readonly isCut?: true;
}

/** The state of a page in the change log: the last logged state, and findings that are not logged yet. */
export interface LoggedState {
  /** The last answer that was not a failure; absent if there was no such answer. */
  readonly stands?: 'page' | 'redirect';
  /** HTTP status of the last answer that was not a failure. */
  readonly http?: number;
  /** Hash of the target of a redirect, or of a refresh. */
  readonly target?: number;
  /** The digest of the last page that was compared. */
  readonly digest?: PageDigest;
  /** The time of the last fetch that found this state, in ms since the epoch. */
  readonly seenAt?: number;
  /** When the body of the page was received, in ms since the epoch. The record of the body has the same date. */
  readonly bodyAt?: number;
  /** Whether the batch in the updatedb mark was the first that recorded this state. */
  readonly isFirst?: true;
  /** The current failure. */
  readonly failing?: LoggedFailure;
  /** A changed page that is not logged until a second fetch finds the same change. */
  readonly suspect?: PageDigest;
}

/** A failure that has lasted since the last answer. */
export interface LoggedFailure {
  /** The time of the first failed fetch since the last answer, in ms since the epoch. */
  readonly since: number;
  /** When the present series of 404 or 410 answers began. Absent if the last answer had another status. */
  readonly missingSince?: number;
  /** The last log entry on the failure; `no`: there is no entry yet. */
  readonly logged: 'no' | 'status' | 'gone';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Numbers of a digest that are stored as eight bytes, in this order. FROZEN. */
const HASHES = ['content', 'blocks', 'title', 'description', 'canonical', 'links', 'externalLinks'] as const;
/** Numbers that are stored as four bytes, in this order. FROZEN. */
const COUNTS = ['basis', 'length', 'linkCount', 'externalLinkCount'] as const;
const DIGEST_BYTES = 8 * HASHES.length + 4 * COUNTS.length + 1;

/** FROZEN. Four-byte numbers, eight-byte numbers, one byte of flags, then the title. */
export const pageDigest = cellCodec<PageDigest>({
  encodeInto(cells, digest) {
    cells.reserve(DIGEST_BYTES);
    const { bytes } = cells;
    let at = cells.end;
    for (const name of COUNTS) at = bytes.writeUInt32BE(digest[name], at);
    for (const name of HASHES) at = bytes.writeDoubleBE(digest[name], at);
    cells.end = bytes.writeUInt8(digest.noindex ? 1 : 0, at);
    cells.write(digest.titleText);
  },
  decode(given) {
    if (given.length < DIGEST_BYTES) throw new Error('no digest');
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
    const value: Record<string, unknown> = {};
    let at = 0;
    for (const name of COUNTS) {
      value[name] = bytes.readUInt32BE(at);
      at += 4;
    }
    for (const name of HASHES) {
      value[name] = bytes.readDoubleBE(at);
      at += 8;
    }
    value.noindex = bytes[at] === 1;
    value.titleText = utf8.decode(bytes.subarray(at + 1));
    return value as unknown as PageDigest;
  },
});

/** FROZEN. The index of a value is its code. */
const STANDS = [undefined, 'page', 'redirect'] as const;
const FAILURES = [undefined, 'no', 'status', 'gone'] as const;
/** Numbers that may be absent, in this order. A bit in the flags says whether a number is present. FROZEN. */
const MOMENTS = ['seenAt', 'bodyAt', 'target', 'since', 'missingSince'] as const;
const [HAS_SUSPECT, FIRST, HAS_DIGEST] = [0x20, 0x40, 0x80];
const LOGGED_BYTES = 7;

/**
 * FROZEN. Seven bytes come first: one for `stands`, one for the failure, two for the HTTP status, one for flags, two for the length of the
 * digest. Then follow the numbers, the digest, and the digest of `suspect`.
 */
export const loggedState = cellCodec<LoggedState>({
  encodeInto(cells, { digest, suspect, failing, isFirst, stands, http = 0, ...state }) {
    const numbers: Partial<Record<(typeof MOMENTS)[number], number>> = { ...state };
    if (failing) numbers.since = failing.since;
    if (failing?.missingSince !== undefined) numbers.missingSince = failing.missingSince;
    const present = MOMENTS.filter((name) => numbers[name] !== undefined);
    cells.reserve(LOGGED_BYTES + 8 * present.length);
    const start = cells.end;
    const { bytes } = cells;
    bytes[start] = STANDS.indexOf(stands);
    bytes[start + 1] = FAILURES.indexOf(failing?.logged);
    bytes.writeUInt16BE(Math.min(http, 0xffff), start + 2);
    let flags = (isFirst ? FIRST : 0) + (digest ? HAS_DIGEST : 0) + (suspect ? HAS_SUSPECT : 0);
    let at = start + LOGGED_BYTES;
    for (const name of present) {
      flags += 1 << MOMENTS.indexOf(name);
      at = bytes.writeDoubleBE(numbers[name]!, at);
    }
    bytes[start + 4] = flags;
    cells.end = at;
    if (digest) pageDigest.encodeInto(cells, digest);
    // The buffer may have been replaced by a larger one.
    cells.bytes.writeUInt16BE(cells.end - at, start + 5);
    if (suspect) pageDigest.encodeInto(cells, suspect);
  },
  decode(given) {
    if (given.length < LOGGED_BYTES) throw new Error('no state of the change log');
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
    const flags = bytes[4]!;
    const numbers: Partial<Record<(typeof MOMENTS)[number], number>> = {};
    let at = LOGGED_BYTES;
    for (const [i, name] of MOMENTS.entries()) {
      if ((flags & (1 << i)) === 0) continue;
      numbers[name] = bytes.readDoubleBE(at);
      at += 8;
    }
    const end = at + bytes.readUInt16BE(5);
    const { since, missingSince, ...state } = numbers;
    const stands = STANDS[bytes[0]!];
    const logged = FAILURES[bytes[1]!];
    const http = bytes.readUInt16BE(2);
    return {
      ...state,
      ...(stands && { stands }),
      ...(http > 0 && { http }),
      ...(flags & FIRST && { isFirst: true as const }),
      ...(logged && { failing: { since: since ?? 0, ...(missingSince !== undefined && { missingSince }), logged } }),
      ...(flags & HAS_DIGEST && { digest: pageDigest.decode(bytes.subarray(at, end)) }),
      ...(flags & HAS_SUSPECT && { suspect: pageDigest.decode(bytes.subarray(end)) }),
    };
  },
});
