import { once } from '../util/index.js';

/** A simhash of 64 bits in two halves, and how many words it was made of. */
export interface Simhash {
  /** The upper 32 bits, unsigned. */
  readonly high: number;
  /** The lower 32 bits, unsigned. */
  readonly low: number;
  /** Words of the text; of scripts without spaces, characters. */
  readonly words: number;
}

/** Characters of a text that count; a longer one goes by its beginning. */
const LONGEST = 2 ** 20;

const SPACE = 0;
const LETTER = 1;
/** Of a script that puts no spaces between words: each character counts as a word. */
const ALONE = 2;

/**
 * Makes the function that gives the simhash of a text (Charikar 2002): texts that share most of their shingles differ in few bits. A
 * shingle is `shingle` words in a row, in lower case, punctuation left out; where a script has no spaces, as many characters in a row.
 */
export function createSimhash(shingle: number): (text: string) => Simhash {
  const kinds = characterKinds();
  const low = createBitCounts();
  const high = createBitCounts();
  const last = new Int32Array(shingle);

  return (given) => {
    const text = given.slice(0, LONGEST).toLowerCase();
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
      if (kind === LETTER) {
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
 * Counts each of the 32 bits of numbers. The counts lie across: plane `n` holds digit `n` of all 32, so that a number is added to all
 * of them by a few operations, as a carry that dies out.
 */
function createBitCounts() {
  // One for each digit of the most words that a text has.
  const planes = new Int32Array(Math.log2(LONGEST) + 1);
  return {
    add(bits: number): void {
      let carry = bits;
      for (let n = 0; carry !== 0; n++) {
        const plane = planes[n]!;
        planes[n] = plane ^ carry;
        carry &= plane;
      }
    },
    /** The bits that more than half of `total` numbers have, unsigned; the counts begin anew. */
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
function scramble(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x7feb352d);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x846ca68b);
  return hash ^ (hash >>> 16);
}

/** What each UTF-16 code unit is. Those of a pair count as characters of their own: most pairs are rare Chinese ones. */
const characterKinds = once((): Uint8Array => {
  const kinds = new Uint8Array(65_536);
  const letter = /[\p{L}\p{N}\p{M}]/u;
  const alone =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
  for (let code = 0; code < kinds.length; code++) {
    const character = String.fromCharCode(code);
    const isPaired = code >= 0xd800 && code <= 0xdfff;
    if (isPaired || (letter.test(character) && alone.test(character))) kinds[code] = ALONE;
    else kinds[code] = letter.test(character) ? LETTER : SPACE;
  }
  return kinds;
});

/** In how many bits two simhashes differ, 0 to 64. */
export function distanceOf(highA: number, lowA: number, highB: number, lowB: number): number {
  return ones(highA ^ highB) + ones(lowA ^ lowB);
}

/** Ones in a number of 32 bits. */
export function ones(value: number): number {
  let count = value - ((value >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
