import type { Settings } from '../../../config/index.js';
import type { PageDigest } from '../../../webtable/index.js';
import type { ParsedPage } from '../../plugin-api/index.js';
import { hashOf } from '../../util/index.js';
import { DIGIT_OR_AGO, ODD, mayBeAlone, mayBeOdd, plainLink, withoutNoise } from './noise.js';

/**
 * The version of the method that makes digests. Increase it with every change that gives an unchanged page another digest. Digests of
 * different versions are not compared, so such a page does not count as changed.
 */
const DIGEST_VERSION = 2;
/** Maximum number of characters of the title that a digest stores. */
const TITLE_TEXT = 100;

type DigestSettings = Pick<Settings, 'parser'>;

/**
 * Makes the digest of a page from the result of its parser. Filters, rules and limits of links are applied later, because they do not
 * change the page.
 * @param url the URL of the page
 * @param parsedBy the name of the plugin that parsed the page
 */
export function makeDigest(url: string, page: ParsedPage, parsedBy: string, settings: DigestSettings): PageDigest {
  const { title, text, contentBlocks, canonical, metadata, robots } = page;
  const { content, blocks, length } = hashBlocks(text, contentBlocks ?? [0, text.length]);
  const links = hashLinks(url, page.outlinks);
  return {
    basis: basisOf(settings, parsedBy),
    content,
    blocks,
    title: hashText(title),
    description: hashText(metadata.description),
    canonical: hashText(canonical),
    ...links,
    noindex: robots.noindex,
    length,
    titleText: title.slice(0, TITLE_TEXT),
  };
}

function hashText(text = ''): number {
  return text === '' ? 0 : hashOf(text);
}

const bases = new WeakMap<DigestSettings['parser'], Map<string, number>>();

function basisOf({ parser }: DigestSettings, parsedBy: string): number {
  let known = bases.get(parser);
  if (!known) bases.set(parser, (known = new Map<string, number>()));
  let basis = known.get(parsedBy);
  if (basis === undefined) {
    const { textLimit, htmlFormUseAction, htmlOutlinksIgnoreTags, htmlOutlinksRelations } = parser;
    const all = [DIGEST_VERSION, parsedBy, textLimit, htmlFormUseAction, htmlOutlinksIgnoreTags, htmlOutlinksRelations];
    known.set(parsedBy, (basis = hashOf(JSON.stringify(all)) >>> 0));
  }
  return basis;
}

/** Seeds and factors of the two halves of a hash. */
const [SEED_A, SEED_B] = [0x3c6ef372, 0x41c6ce57];
const [FACTOR_A, FACTOR_B] = [0x9e3779b1, 0x5f356495];
const SPACE = 0x20;
/** Number of bytes that are hashed at a time, and number of bytes of a character. */
const [WORD, UNIT] = [4, 2];
/**
 * Size of the buffer that is reused for texts. A new buffer for each text would cost more time than the hash. Longer texts get their own
 * buffer.
 */
const SHARED_BYTES = 2 ** 20;
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES);
const sharedView = viewOf(shared);

interface Halves {
  a: number;
  b: number;
}

/** @param ranges start and end of each block, in order */
function hashBlocks(text: string, ranges: readonly number[]): Pick<PageDigest, 'content' | 'blocks' | 'length'> {
  const units = bytesOf(text, 'utf16le');
  const hash: Halves = { a: 0, b: 0 };
  const [sum, order] = [
    { a: 0, b: 0 },
    { a: SEED_A, b: SEED_B },
  ];
  const hasDigitOrAgo = finder(DIGIT_OR_AGO, text);
  const isOdd = mayBeOdd(text) ? finder(ODD, text) : () => false;
  let length = 0;
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    let start = Math.max(0, ranges[i]!);
    const end = Math.min(ranges[i + 1]!, text.length);
    if (text.charCodeAt(start) === SPACE) start++;
    if (!(end > start)) continue;
    length += end - start;
    const digitOrAgo = hasDigitOrAgo(start, end);
    const odd = isOdd(start, end);
    const block = digitOrAgo || odd || mayBeAlone(text, start, end) ? text.slice(start, end) : undefined;
    const plain = block && withoutNoise(block, digitOrAgo, odd);
    if (plain === block) hashBytes(units, UNIT * start, UNIT * end, hash);
    else hashBytes(viewOf(Buffer.from(plain ?? '', 'utf16le')), 0, UNIT * (plain?.length ?? 0), hash);
    sum.a = (sum.a + hash.a) | 0;
    sum.b = (sum.b + hash.b) | 0;
    order.a = Math.imul(order.a ^ hash.a, FACTOR_A);
    order.b = Math.imul(order.b ^ hash.b, FACTOR_B);
  }
  if (length === 0) return { content: 0, blocks: 0, length };
  const { a, b } = order;
  return { content: joined(mixed(a, b), mixed(b, a)), blocks: joined(sum.a, sum.b), length };
}

/**
 * Returns a function that checks whether a part of the text matches the pattern. Call the function for the parts in the order of the text.
 * Then each character is read only once.
 */
function finder(pattern: RegExp, text: string): (start: number, end: number) => boolean {
  let next = -1;
  return (start, end) => {
    if (next < start) {
      pattern.lastIndex = start;
      next = pattern.test(text) ? pattern.lastIndex - 1 : Infinity;
    }
    return next < end;
  };
}

type LinkHashes = Pick<PageDigest, 'links' | 'externalLinks' | 'linkCount' | 'externalLinkCount'>;

function hashLinks(page: string, links: ParsedPage['outlinks']): LinkHashes {
  const from = page.indexOf('//') + 2;
  const host = page.slice(from, page.indexOf('/', from) + 1);
  const [own, outer] = [
    { sum: 0, count: 0 },
    { sum: 0, count: 0 },
  ];
  const hash: Halves = { a: 0, b: 0 };
  for (const link of links) {
    const url = plainLink(link.url);
    hashBytes(bytesOf(url, 'latin1'), 0, url.length, hash);
    const group = url.startsWith(host, url.indexOf('//') + 2) ? own : outer;
    group.sum = added(group.sum, joined(hash.a, hash.b));
    group.count++;
  }
  return { links: own.sum, externalLinks: outer.sum, linkCount: own.count, externalLinkCount: outer.count };
}

/** Returns the bytes of a text. They are valid until the next call. */
function bytesOf(text: string, encoding: 'latin1' | 'utf16le'): DataView {
  const length = UNIT * text.length;
  if (length > SHARED_BYTES) return viewOf(Buffer.from(text, encoding));
  shared.write(text, encoding);
  return sharedView;
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Hashes bytes by two parallel rounds of multiplication and shifts. */
function hashBytes(bytes: DataView, start: number, end: number, hash: Halves): void {
  let a = SEED_A;
  let b = SEED_B;
  let at = start;
  for (; at + WORD <= end; at += WORD) {
    const word = bytes.getUint32(at, true);
    a = Math.imul(a ^ word, FACTOR_A);
    b = Math.imul(b ^ word, FACTOR_B);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  for (; at < end; at++) {
    a = Math.imul(a ^ bytes.getUint8(at), FACTOR_A);
    b = Math.imul(b ^ bytes.getUint8(at), FACTOR_B);
  }
  hash.a = mixed(a, b ^ (end - start));
  hash.b = mixed(b, hash.a);
}

/** Adds a hash to a sum. The sum stays below 2 ** 53, and does not depend on the order of the hashes. */
function added(sum: number, hash: number): number {
  const rest = Number.MAX_SAFE_INTEGER - hash;
  return sum > rest ? sum - rest - 1 : sum + hash;
}

function mixed(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
}

function joined(high: number, low: number): number {
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
