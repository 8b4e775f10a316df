import { isAscii } from 'node:buffer';
import { decodeHTML } from 'entities';

const [SPACE, AMPERSAND, SEMICOLON, LESS, GREATER] = [0x20, 0x26, 0x3b, 0x3c, 0x3e];
const [LOWER_A, LOWER_G, LOWER_L, LOWER_M, LOWER_P, LOWER_T] = [0x61, 0x67, 0x6c, 0x6d, 0x70, 0x74];
const MAX_CACHED_REFERENCES = 1000;
const MAX_REFERENCE_BYTES = 12;
/** Maximum bytes of one UTF-16 unit in UTF-8, and of a last character that may be incomplete. */
const BYTES_OF_CHARACTER = 3;
const CUT_CHARACTER = 4;

/**
 * Kinds of bytes in a text. `OF_WORD`: part of a word. `MARK`: `<` or `&`. `BLANK`: ASCII white space. `PERHAPS_BLANK`: the first byte of
 * a character that may be other white space.
 */
const [OF_WORD, MARK, BLANK, PERHAPS_BLANK] = [0, 1, 2, 3];
const BYTE_KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === LESS || byte === AMPERSAND) return MARK;
  if (isBlank(byte)) return BLANK;
  return [0xc2, 0xe1, 0xe2, 0xe3, 0xef].includes(byte) ? PERHAPS_BLANK : OF_WORD;
});

/**
 * For each byte of UTF-8, the number of UTF-16 units that begin with it: two for the first byte of a character of four bytes, zero for a
 * byte that continues a character.
 */
const UNITS_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0xf0 ? 2 : byte >= 0xc0 || byte < 0x80 ? 1 : 0,
);

const NO_BYTES = Buffer.alloc(0);
const MAX_KEPT = 2 ** 20;

/**
 * Memory that the texts of pages use one after another. New memory for each page costs CPU time: V8 marks its whole heap every some 60 MB
 * of memory outside of it.
 */
export class TextMemory {
  #bytes: Buffer = NO_BYTES;

  /** Returns the memory, or an empty buffer if another text is using it. */
  take(): Buffer {
    const bytes = this.#bytes;
    this.#bytes = NO_BYTES;
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    if (bytes.length <= MAX_KEPT) this.#bytes = bytes;
  }
}

/**
 * Collects the text of a page in UTF-8. Every run of white space becomes one space. The text has no space at its start or end. The result
 * is the same as with `TextBuilder`, but this class works on bytes and makes no copies. Titles, anchors and other parts are slices of the
 * text.
 */
export class PageText {
  readonly #limit: number;
  readonly #memory: TextMemory;
  /** The text so far. When the first text is added, the buffer gets room for the rest of the page. */
  #bytes: Buffer;
  #length = 0;
  /** Whether white space followed the last character. If so, a space is written before the next character. */
  #gap = false;
  /** Decoded references in UTF-8. Each page has a cache of its own, so that a page cannot fill the cache of others. */
  readonly #references = new Map<string, Buffer>();

  /** @param limit maximum number of characters that {@link PageText.toString} returns; below 0: no limit */
  constructor(limit: number, memory = new TextMemory()) {
    this.#limit = limit < 0 ? Infinity : limit;
    this.#memory = memory;
    this.#bytes = memory.take();
  }

  /** The position after all text so far. It can be given to {@link PageText.from}. */
  get length(): number {
    return this.#length;
  }

  /** The text so far in UTF-8. Bytes after {@link PageText.length} have no meaning. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Whether text was left out, or the next character would be left out. */
  get full(): boolean {
    return this.#length >= this.#limit && this.from(0, Infinity).length >= this.#limit;
  }

  /** The next character begins a new word. */
  breakWord(): void {
    this.#gap = true;
  }

  cut(start: number): void {
    this.#gap ||= start < this.#length && this.#bytes[start] === SPACE;
    this.#length = Math.min(start, this.#length);
  }

  add(value: string): void {
    this.#addBytes(Buffer.from(value));
  }

  /** Adds text in UTF-8 with character references, up to a `<`. @returns the position of the `<`, or `end` */
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

  /** Returns the text from `start` on, at most `limit` characters, without white space at its start. */
  from(start: number, limit: number): string {
    if (start >= this.#length) return '';
    const at = this.#bytes[start] === SPACE ? start + 1 : start;
    const end = Math.min(this.#length, at + BYTES_OF_CHARACTER * limit + CUT_CHARACTER);
    const text = this.#bytes.toString('utf8', at, end);
    return text.length <= limit ? text : withoutRest(text, limit);
  }

  /** Returns the start of the next word if there is a blank at the position; otherwise the position itself. */
  behindBlank(place: number): number {
    return place < this.#length && this.#bytes[place] === SPACE ? place + 1 : place;
  }

  /** Returns the number of UTF-16 units before each of these positions. The positions must be in order. */
  unitsBefore(places: readonly number[]): number[] {
    const last = places[places.length - 1] ?? 0;
    const bytes = this.#bytes;
    if (isAscii(bytes.subarray(0, last))) return [...places];
    const before: number[] = [];
    let units = 0;
    let at = 0;
    for (const place of places) {
      for (; at < place; at++) units += UNITS_OF_BYTE[bytes[at]!]!;
      before.push(units);
    }
    return before;
  }

  toString(): string {
    return this.from(0, this.#limit);
  }

  /** Must be called when the text has been read. Afterwards, the text is empty. */
  release(): void {
    this.#memory.giveBack(this.#bytes);
    this.#bytes = NO_BYTES;
    this.#length = 0;
  }

  /** Adds bytes up to the next `<` or `&`. @returns the position of the `<` or `&`, or `end` */
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
      if (raw.length <= MAX_REFERENCE_BYTES && this.#references.size < MAX_CACHED_REFERENCES)
        this.#references.set(raw, value);
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

/** A part of the text of a page. Pieces inside the part may be left out. */
export interface Stretch {
  /** Number of open elements with a role when the part ends. */
  readonly depth: number;
  /** The start of the text after the last piece that was left out. */
  start: number;
  /** The texts before the pieces that were left out. */
  before: string[] | undefined;
}

/** Leaves the text that follows out of a part, until {@link goOn} is called. */
export function interrupt(stretch: Stretch | undefined, page: PageText): void {
  if (!stretch) return;
  const text = page.from(stretch.start, Infinity);
  if (text !== '') (stretch.before ??= []).push(text);
}

export function goOn(stretch: Stretch | undefined, page: PageText): void {
  if (stretch) stretch.start = page.length;
}

/** Returns the text of a part that ends here, at most `limit` characters. */
export function textOf({ start, before }: Stretch, page: PageText, limit: number): string {
  const rest = page.from(start, limit);
  if (!before) return rest;
  const whole = [...before, rest].join(' ').trimEnd();
  return whole.length <= limit ? whole : withoutRest(whole, limit);
}

/** Returns the first `limit` characters of a text. Half a surrogate pair at the end is removed. */
function withoutRest(text: string, limit: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).trimEnd();
}

/** Returns `<`, `>` or `&` if a reference is the usual one: `&lt;`, `&gt;` or `&amp;`. Returns 0 for other references. */
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

/** Returns the end of a character reference: the position of the first byte that cannot be part of the reference. */
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

/** Number of bytes of the character at a position if it is white space beyond ASCII; otherwise 0. */
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
