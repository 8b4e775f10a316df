import { decodeHTMLAttribute } from 'entities';
import type { PageElement } from '../page-element.js';
import { isLetter, isSpace, lower } from './html-tags.js';

/** Letters that occur in the attributes to find quickly: the `n` of `data-nosnippet`, and the `o` and `e` of `role`. */
const [LOWER_E, LOWER_N, LOWER_O] = [0x65, 0x6e, 0x6f];
const [QUOTE, APOSTROPHE, DASH, SLASH, EQUALS, GREATER] = [0x22, 0x27, 0x2d, 0x2f, 0x3d, 0x3e];
/** Number of positions to store for each attribute: start and end of the name, start and end of the value. */
const PLACES = 4;

/**
 * Reads tags (HTML Standard, sections 13.2.5.32 to 13.2.5.40), and represents the element of the last tag. Of attributes, only positions
 * are stored. They become text when they are requested.
 */
export class TagReader implements PageElement {
  readonly isHtml = true;
  tagName = '';
  /** Whether the last tag ends with a slash that is not part of a value. */
  closesItself = false;
  /** Whether the skipped tag may have an attribute `data-nosnippet` or `role`. If so, only reading the tag shows whether it has. */
  mayBeMarked = false;
  /** Start of the text in the element of the last tag, if the content of the element is only text. */
  textStart = 0;
  textEnd = 0;
  readonly #bytes: Buffer;
  /** The positions of all attributes one after another, {@link PLACES} for each. Entries from `#kept` on belong to earlier tags. */
  readonly #places: number[] = [];
  #kept = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Reads a tag from the end of its name on.
   * @param isKept whether attributes of this tag may be requested
   * @returns the position after the tag; if the page ends inside the tag, a position beyond the end of the page
   */
  read(from: number, isKept: boolean): number {
    const bytes = this.#bytes;
    this.#kept = 0;
    this.closesItself = false;
    if (bytes[from] === GREATER) return from + 1;
    const { length } = bytes;
    const beyond = length + 1;
    let at = from;
    for (;;) {
      const last = at;
      while (at < length && (isSpace(bytes[at]!) || bytes[at] === SLASH)) at++;
      if (at >= length) return beyond;
      if (bytes[at] === GREATER) {
        this.closesItself = at > last && bytes[at - 1] === SLASH;
        return at + 1;
      }
      const name = at++;
      for (; at < length; at++) {
        const byte = bytes[at]!;
        if (byte === EQUALS || byte === GREATER || byte === SLASH || isSpace(byte)) break;
      }
      const nameEnd = at;
      while (at < length && isSpace(bytes[at]!)) at++;
      if (bytes[at] !== EQUALS) {
        if (isKept) this.#keep(name, nameEnd, nameEnd, nameEnd);
        continue;
      }
      at++;
      while (at < length && isSpace(bytes[at]!)) at++;
      if (at >= length) return beyond;
      const quote = bytes[at]!;
      if (quote === QUOTE || quote === APOSTROPHE) {
        const start = at + 1;
        at = quoteEnd(bytes, start, quote);
        if (at >= length) return beyond;
        if (isKept) this.#keep(name, nameEnd, start, at);
        at++;
        continue;
      }
      const start = at;
      for (; at < length; at++) if (bytes[at] === GREATER || isSpace(bytes[at]!)) break;
      if (isKept) this.#keep(name, nameEnd, start, at);
    }
  }

  /**
   * Reads a tag whose attributes are not needed, with the same result as {@link TagReader.read}. If all values are quoted, as in nearly
   * all tags, this is much faster.
   */
  skip(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    this.mayBeMarked = false;
    let next = from;
    for (let at = from; at < length; at++) {
      const byte = bytes[at]!;
      // Most bytes are letters.
      if (byte > GREATER) continue;
      if (byte === GREATER) {
        this.#kept = 0;
        this.closesItself = bytes[at - 1] === SLASH;
        return at + 1;
      }
      if (byte !== EQUALS) {
        if (byte === DASH && lower(bytes[at + 1]!) === LOWER_N) this.mayBeMarked = true;
        continue;
      }
      const quote = bytes[at + 1]!;
      const last = bytes[at - 1];
      // A `=` between a letter and a quote surely belongs to an attribute. Another `=` may be part of a name, or come before a value
      // without quotes.
      if (!isLetter(last) || (quote !== QUOTE && quote !== APOSTROPHE)) {
        this.mayBeMarked = true;
        return this.read(next, false);
      }
      if (lower(last!) === LOWER_E && lower(bytes[at - 3]!) === LOWER_O) this.mayBeMarked = true;
      at = quoteEnd(bytes, at + 2, quote);
      next = at + 1;
    }
    return length + 1;
  }

  /** The value of an attribute. If the tag has several attributes of this name, the first one is used. */
  attribute(name: string): string | undefined {
    const places = this.#places;
    for (let i = 0; i < this.#kept; i += PLACES) {
      if (places[i + 1]! - places[i]! === name.length && this.#isNamed(name, places[i]!))
        return this.#value(places[i + 2]!, places[i + 3]!);
    }
    return undefined;
  }

  textInside(): string {
    return this.#lines(this.textStart, this.textEnd);
  }

  #keep(name: number, nameEnd: number, value: number, valueEnd: number): void {
    const places = this.#places;
    places[this.#kept++] = name;
    places[this.#kept++] = nameEnd;
    places[this.#kept++] = value;
    places[this.#kept++] = valueEnd;
  }

  #isNamed(name: string, at: number): boolean {
    for (let i = 0; i < name.length; i++) if (lower(this.#bytes[at + i]!) !== name.charCodeAt(i)) return false;
    return true;
  }

  #value(start: number, end: number): string {
    if (start === end) return '';
    const value = this.#lines(start, end);
    return value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  /** Returns bytes as text. Each end of a line becomes a line feed. */
  #lines(start: number, end: number): string {
    const raw = this.#bytes.toString('utf8', start, end);
    return raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  }
}

/** Maximum number of bytes of a value to search one by one. For longer values, a library call is faster. */
const SHORT = 64;

function quoteEnd(bytes: Buffer, start: number, quote: number): number {
  const soon = Math.min(start + SHORT, bytes.length);
  for (let at = start; at < soon; at++) if (bytes[at] === quote) return at;
  const at = bytes.indexOf(quote, soon);
  return at < 0 ? bytes.length : at;
}
