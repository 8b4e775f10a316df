import { decodeHTMLAttribute } from 'entities';
import { readAttributes, type Attribute } from '../../../packages/parse/html/scan/html-tags.js';

const [QUOTE, HASH, AMPERSAND, APOSTROPHE, SLASH, EQUALS, GREATER] = [0x22, 0x23, 0x26, 0x27, 0x2f, 0x3d, 0x3e];
const HREF = Buffer.from('href');
const REL = Buffer.from('rel');

/** Reads tags from bytes, and notes where their `href` is: of most nothing else matters. */
export class TagReader {
  bytes: Buffer = Buffer.alloc(0);
  /** Behind the tag that was read last. */
  at = 0;
  /** It has a `rel`. */
  hasRel = false;
  /** Of the tag that was read last: `href`, up to a `#`, and whether it has a reference to a character. -1: there is none */
  #hrefStart = -1;
  #hrefEnd = 0;
  #isHrefCoded = false;

  /** Whether it has an `href`. */
  get hasHref(): boolean {
    return this.#hrefStart >= 0;
  }

  /** Reads a tag from the end of its name to its end, and notes `href`. @returns false where the page ends in it */
  read(from: number): boolean {
    const bytes = this.bytes;
    const { length } = bytes;
    this.#hrefStart = -1;
    this.hasRel = false;
    if (bytes[from] === GREATER) {
      this.at = from + 1;
      return true;
    }
    let at = from;
    for (;;) {
      while (at < length && (isSpace(bytes[at]!) || bytes[at] === SLASH)) at++;
      if (at >= length) return false;
      if (bytes[at] === GREATER) {
        this.at = at + 1;
        return true;
      }
      const name = at++;
      for (; at < length; at++) {
        const byte = bytes[at]!;
        if (byte === EQUALS || byte === GREATER || byte === SLASH || isSpace(byte)) break;
      }
      const nameLength = at - name;
      while (at < length && isSpace(bytes[at]!)) at++;
      const isRel = nameLength === 3 && isLower(bytes, name, REL);
      const isHref = nameLength === 4 && isLower(bytes, name, HREF);
      if (isRel) this.hasRel = true;
      if (bytes[at] !== EQUALS) {
        if (isHref && this.#hrefStart < 0) this.#noteHref(at, at);
        continue;
      }
      at++;
      while (at < length && isSpace(bytes[at]!)) at++;
      const quote = bytes[at]!;
      let start = at;
      if (quote === QUOTE || quote === APOSTROPHE) {
        start = ++at;
        while (at < length && bytes[at] !== quote) at++;
        if (at >= length) return false;
        if (isHref && this.#hrefStart < 0) this.#noteHref(start, at);
        at++;
        continue;
      }
      for (; at < length; at++) if (bytes[at] === GREATER || isSpace(bytes[at]!)) break;
      if (isHref && this.#hrefStart < 0) this.#noteHref(start, at);
    }
  }

  #noteHref(start: number, end: number): void {
    const bytes = this.bytes;
    this.#hrefStart = start;
    this.#isHrefCoded = false;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === AMPERSAND) {
        this.#isHrefCoded = true;
        at = end;
        break;
      }
      if (byte === HASH) break;
    }
    this.#hrefEnd = at;
  }

  /** The `href` without its fragment. */
  href(): string {
    const raw = this.bytes.toString('utf8', this.#hrefStart, this.#hrefEnd);
    if (!this.#isHrefCoded) return raw;
    const value = decodeHTMLAttribute(raw);
    const hash = value.indexOf('#');
    return hash < 0 ? value : value.slice(0, hash);
  }

  /** @param start of its name */
  isNofollow(start: number): boolean {
    const rel = this.attributes(start).find(({ name }) => name === 'rel')?.value ?? '';
    return /(?:^|[\t\n\f\r ])nofollow(?:[\t\n\f\r ]|$)/i.test(rel);
  }

  /** All attributes that matter to a reader of pages. @param start of its name */
  attributes(start: number): Attribute[] {
    const attrs: Attribute[] = [];
    const text = this.bytes.toString('utf8', start, this.at);
    readAttributes(text, /[\s/>]/.exec(text)!.index, attrs);
    return attrs;
  }
}

function isLower(bytes: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if ((bytes[start + i]! | 0x20) !== name[i]) return false;
  return true;
}

/** White space of the HTML Standard. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d || byte === 0x0c;
}
