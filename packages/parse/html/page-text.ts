import { decodeHTML } from 'entities';

const [SPACE, AMPERSAND, SEMICOLON, LESS, GREATER] = [0x20, 0x26, 0x3b, 0x3c, 0x3e];
const [LOWER_A, LOWER_G, LOWER_L, LOWER_M, LOWER_P, LOWER_T] = [0x61, 0x67, 0x6c, 0x6d, 0x70, 0x74];
/** References to characters that a text keeps decoded: so many, of at most so many bytes. */
const MOST_REFERENCES = 1000;
const LONGEST_REFERENCE = 12;
/** A character of a string takes three bytes of UTF-8 at the most; the last one may be cut. */
const BYTES_OF_CHARACTER = 3;
const CUT_CHARACTER = 4;

/** What a byte of a text may be: `<` or `&`, white space in ASCII, or the first byte of white space beyond that; else part of a word. */
const [OF_WORD, MARK, BLANK, PERHAPS_BLANK] = [0, 1, 2, 3];
const BYTE_KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === LESS || byte === AMPERSAND) return MARK;
  if (isBlank(byte)) return BLANK;
  return [0xc2, 0xe1, 0xe2, 0xe3, 0xef].includes(byte) ? PERHAPS_BLANK : OF_WORD;
});

/**
 * Collects the text of a page in UTF-8 with every run of white space made one space, and none at its ends: what `TextBuilder` does to strings,
 * done to bytes where they go. Parts of it, as titles and anchors, are slices of it.
 */
export class PageText {
  readonly #limit: number;
  /** It has room for the rest of the page from the first text on. */
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** White space has come since the last character; it is written before the next one. */
  #gap = false;
  /** What references stand for, in UTF-8. Of each text its own, so that no page fills it up for others. */
  readonly #references = new Map<string, Buffer>();

  /** @param limit characters that {@link PageText.toString} gives; below 0: no limit */
  constructor(limit: number) {
    this.#limit = limit < 0 ? Infinity : limit;
  }

  /** The place behind all text so far, for {@link PageText.from}. */
  get length(): number {
    return this.#length;
  }

  /** Text was left out, or one more character would be. */
  get full(): boolean {
    return this.#length >= this.#limit && this.from(0, Infinity).length >= this.#limit;
  }

  /** What comes next is a new word. */
  breakWord(): void {
    this.#gap = true;
  }

  add(value: string): void {
    this.#addBytes(Buffer.from(value));
  }

  /**
   * Adds bytes of valid UTF-8 in which references stand for characters, up to a `<`.
   * @returns the place of that, or `end`
   */
  addReferring(bytes: Buffer, start: number, end: number): number {
    for (let from = start; ;) {
      const at = this.#addUpToMark(bytes, from, end);
      if (at === end || bytes[at] === LESS) return at;
      from = referenceEnd(bytes, at + 1, end);
      const mark = markOf(bytes, at + 1, from);
      if (mark !== 0) this.#addMark(mark);
      else this.#addBytes(this.#decoded(bytes.toString('utf8', at, from)));
    }
  }

  /** The text from a place on, without white space at its start, up to so many characters. */
  from(start: number, limit: number): string {
    if (start >= this.#length) return '';
    const at = this.#bytes[start] === SPACE ? start + 1 : start;
    const end = Math.min(this.#length, at + BYTES_OF_CHARACTER * limit + CUT_CHARACTER);
    const text = this.#bytes.toString('utf8', at, end);
    return text.length <= limit ? text : withoutRest(text, limit);
  }

  /** The text so far. */
  toString(): string {
    return this.from(0, this.#limit);
  }

  /** @returns where it stopped: at a `<` or a `&`, or at the end */
  #addUpToMark(from: Uint8Array, start: number, end: number): number {
    this.#makeRoom(end - start + 1);
    const to = this.#bytes;
    let length = this.#length;
    let gap = this.#gap;
    let at = start;
    for (; at < end; at++) {
      const byte = from[at]!;
      const kind = BYTE_KINDS[byte]!;
      if (kind !== OF_WORD) {
        if (kind === MARK) break;
        const blank = kind === BLANK ? 1 : blankLength(from, at);
        if (blank > 0) {
          gap = true;
          at += blank - 1;
          continue;
        }
      }
      if (gap) {
        gap = false;
        if (length > 0) to[length++] = SPACE;
      }
      to[length++] = byte;
    }
    this.#length = length;
    this.#gap = gap;
    return at;
  }

  #decoded(raw: string): Buffer {
    let value = this.#references.get(raw);
    if (value === undefined) {
      value = Buffer.from(decodeHTML(raw));
      if (raw.length <= LONGEST_REFERENCE && this.#references.size < MOST_REFERENCES) this.#references.set(raw, value);
    }
    return value;
  }

  #addBytes(bytes: Buffer): void {
    for (let at = 0; ; at++) {
      at = this.#addUpToMark(bytes, at, bytes.length);
      if (at === bytes.length) return;
      this.#addMark(bytes[at]!);
    }
  }

  #addMark(byte: number): void {
    this.#makeRoom(2);
    if (this.#gap && this.#length > 0) this.#bytes[this.#length++] = SPACE;
    this.#gap = false;
    this.#bytes[this.#length++] = byte;
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** The first characters of a text. Half of a surrogate pair is no character. */
export function withoutRest(text: string, limit: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).trimEnd();
}

/** `<`, `>` or `&` where a reference, from behind its `&` on, is the usual one to that; 0 for any other. */
function markOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]!;
  if (end - start === 3 && bytes[start + 1] === LOWER_T && bytes[start + 2] === SEMICOLON) {
    if (first === LOWER_L) return LESS;
    return first === LOWER_G ? GREATER : 0;
  }
  const isAmpersand =
    end - start === 4 &&
    first === LOWER_A &&
    bytes[start + 1] === LOWER_M &&
    bytes[start + 2] === LOWER_P &&
    bytes[start + 3] === SEMICOLON;
  return isAmpersand ? AMPERSAND : 0;
}

/** What a reference to a character may be up to: nothing beyond such a byte is part of it. */
function referenceEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === SEMICOLON) return at + 1;
    if (byte === AMPERSAND || byte === LESS || byte === GREATER || isBlank(byte)) return at;
  }
  return end;
}

/** Whether an ASCII character is white space for JavaScript. */
function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}

/** Bytes of the character at a place where it is white space beyond ASCII, else 0. */
function blankLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  const next = bytes[at + 1]!;
  if (byte === 0xc2) return next === 0xa0 ? 2 : 0;
  const last = bytes[at + 2]!;
  if (byte === 0xe2) {
    if (next === 0x80) return last <= 0x8a || last === 0xa8 || last === 0xa9 || last === 0xaf ? 3 : 0;
    return next === 0x81 && last === 0x9f ? 3 : 0;
  }
  if (byte === 0xe1) return next === 0x9a && last === 0x80 ? 3 : 0;
  if (byte === 0xe3) return next === 0x80 && last === 0x80 ? 3 : 0;
  return byte === 0xef && next === 0xbb && last === 0xbf ? 3 : 0;
}
