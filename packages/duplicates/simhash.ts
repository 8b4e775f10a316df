import { once } from '../util/index.js';

export interface Simhash {
  /** The upper 32 bits, unsigned. */
  readonly high: number;
  /** The lower 32 bits, unsigned. */
  readonly low: number;
  /** Number of words of the text. In scripts without spaces, each character is a word. */
  readonly words: number;
}

export const MAX_TEXT_CHARACTERS = 2 ** 20;

const SPACE = 0;
export const LETTER_OR_DIGIT = 1;
/** The kind of a character of a script without spaces between words. Each such character is a word. */
const ALONE = 2;

/**
 * Makes the function that computes the simhash of a text (Charikar 2002). The simhashes of texts that share most of their shingles differ
 * in few bits. A shingle is a run of `shingle` words in lower case, without punctuation. In scripts without spaces, it is a run of
 * `shingle` characters.
 */
export function createSimhash(shingle: number): (text: string) => Simhash {
  const kinds = characterKinds();
  const low = createBitCounts();
  const high = createBitCounts();
  const last = new Int32Array(shingle);

  return (given) => {
    const text = given.slice(0, MAX_TEXT_CHARACTERS).toLowerCase();
    last.fill(0);
    let words = 0;
    let word = 0;
    const end = (): void => {
      last[words % shingle] = word;
      words += 1;
      word = 0;
      let mixed = 0;
      for (let i = 0; i < shingle; i++) mixed = Math.imul(mixed, 0x2c1b3c6d) + last[(words + i) % shingle]!;
      low.add(scramble(mixed));
      high.add(scramble(mixed ^ 0x5bd1e995));
    };
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const kind = kinds[code]!;
      if (kind === LETTER_OR_DIGIT) {
        word = Math.imul(word ^ code, 0x01000193) | 1;
        continue;
      }
      if (word !== 0) end();
      if (kind === ALONE) {
        word = Math.imul(code, 0x01000193) | 1;
        end();
      }
    }
    if (word !== 0) end();
    return { high: high.take(words), low: low.take(words), words };
  };
}

/**
 * Counts, for each of 32 bits, how many numbers have this bit. The counters are stored as planes: plane `n` has the binary digit `n` of
 * all 32 counters. So a few operations add a number to all counters.
 */
function createBitCounts() {
  // One plane for each digit of the maximum number of words.
  const planes = new Int32Array(Math.log2(MAX_TEXT_CHARACTERS) + 1);
  return {
    add(bits: number): void {
      let carry = bits;
      for (let n = 0; carry !== 0; n++) {
        const plane = planes[n]!;
        planes[n] = plane ^ carry;
        carry &= plane;
      }
    },
    /** Returns the bits that more than half of `total` numbers have, as an unsigned number. Resets the counts. */
    take(total: number): number {
      let value = 0;
      for (let bit = 0; bit < 32; bit++) {
        let count = 0;
        for (let n = 0; n < planes.length; n++) count += ((planes[n]! >>> bit) & 1) << n;
        if (count * 2 > total) value |= 1 << bit;
      }
      planes.fill(0);
      return value >>> 0;
    },
  };
}

/** Spreads a number over all its bits. */
export function scramble(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x7feb352d);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x846ca68b);
  return hash ^ (hash >>> 16);
}

/**
 * The kind of each UTF-16 code unit. 0: the unit is not part of a word. Each half of a surrogate pair is a word of its own, because most
 * pairs are rare Chinese characters.
 */
export const characterKinds = once((): Uint8Array => {
  const kinds = new Uint8Array(65_536);
  const letter = /[\p{L}\p{N}\p{M}]/u;
  const alone =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
  for (let code = 0; code < kinds.length; code++) {
    const character = String.fromCharCode(code);
    const isPaired = code >= 0xd800 && code <= 0xdfff;
    if (isPaired || (letter.test(character) && alone.test(character))) kinds[code] = ALONE;
    else kinds[code] = letter.test(character) ? LETTER_OR_DIGIT : SPACE;
  }
  return kinds;
});

/** Number of bits in which two simhashes differ, 0 to 64. */
export function distanceOf(highA: number, lowA: number, highB: number, lowB: number): number {
  return ones(highA ^ highB) + ones(lowA ^ lowB);
}

export function ones(value: number): number {
  let count = value - ((value >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
