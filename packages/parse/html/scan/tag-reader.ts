import { decodeHTMLAttribute } from 'entities';
import type { PageElement } from '../page-element.js';
import { isLetter, isSpace, lower } from './html-tags.js';

const [QUOTE, APOSTROPHE, SLASH, EQUALS, GREATER] = [0x22, 0x27, 0x2f, 0x3d, 0x3e];
/** Numbers that are kept of an attribute: where its name begins and ends, and where its value does. */
const PLACES = 4;

/**
 * Reads tags (HTML Standard, sections 13.2.5.32 to 13.2.5.40), and is the element that was read last. Of attributes it keeps places,
 * and makes text only of those that are asked for.
 */
export class TagReader implements PageElement {
  readonly isHtml = true;
  tagName = '';
  /** The tag that was read last ends in a slash which is no part of a value. */
  closesItself = false;
  /** Where the text in the element is that was read last, if no tag counts in that. */
  textStart = 0;
  textEnd = 0;
  readonly #bytes: Buffer;
  /** Of one attribute after the other, {@link PLACES} each; behind `#kept` those of earlier tags. */
  readonly #places: number[] = [];
  #kept = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Reads a tag from the end of its name on.
   * @param isKept whether attributes of it may be asked for
   * @returns where the page goes on; beyond its end where it ends within the tag
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
   * Reads a tag as {@link TagReader.read} does, where no attribute of it may be asked for: those with a quoted value, as nearly all
   * are, at a fraction of the cost.
   */
  skip(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    /** Where the attributes begin that are not passed over yet. */
    let next = from;
    for (let at = from; at < length; at++) {
      const byte = bytes[at]!;
      if (byte === GREATER) {
        this.#kept = 0;
        this.closesItself = bytes[at - 1] === SLASH;
        return at + 1;
      }
      if (byte !== EQUALS) continue;
      const quote = bytes[at + 1]!;
      // Else it may be part of a name, or before a value without quotes.
      if (!isLetter(bytes[at - 1]) || (quote !== QUOTE && quote !== APOSTROPHE)) return this.read(next, false);
      at = quoteEnd(bytes, at + 2, quote);
      next = at + 1;
    }
    return length + 1;
  }

  /** Of several of one name the first counts. */
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

  /** Bytes as text; every end of a line is a line feed. */
  #lines(start: number, end: number): string {
    const raw = this.#bytes.toString('utf8', start, end);
    return raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  }
}

/** Values are short; a search by a call of the system's library takes longer to begin. */
const SHORT = 64;

function quoteEnd(bytes: Buffer, start: number, quote: number): number {
  const soon = Math.min(start + SHORT, bytes.length);
  for (let at = start; at < soon; at++) if (bytes[at] === quote) return at;
  const at = bytes.indexOf(quote, soon);
  return at < 0 ? bytes.length : at;
}
