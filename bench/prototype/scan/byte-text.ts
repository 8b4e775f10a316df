const [SPACE, AMPERSAND, LESS] = [0x20, 0x26, 0x3c];

/** Whether an ASCII character is white space for JavaScript. */
export function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}

/**
 * Collects text in UTF-8, with every run of white space made one space and none at the start: what `TextBuilder` does to
 * strings, done to bytes where they go. One that is at the end is never written.
 */
export class ByteText {
  bytes: Uint8Array;
  length = 0;
  /** White space has come since the last character. */
  gap = false;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  clear(): void {
    this.length = 0;
    this.gap = false;
  }

  /**
   * Adds bytes of valid UTF-8 up to one that is no text by itself, `<` or `&`.
   * @returns where it stopped
   */
  addUpToMark(from: Uint8Array, start: number, end: number): number {
    this.#room(end - start + 1);
    const to = this.bytes;
    let { length, gap } = this;
    let at = start;
    for (; at < end; at++) {
      const byte = from[at]!;
      if (byte === LESS || byte === AMPERSAND) break;
      if (isBlank(byte)) {
        gap = true;
        continue;
      }
      const blank = byte < 0xc2 ? 0 : blankLength(from, at);
      if (blank > 0) {
        gap = true;
        at += blank - 1;
        continue;
      }
      if (gap) {
        gap = false;
        if (length > 0) to[length++] = SPACE;
      }
      to[length++] = byte;
    }
    this.length = length;
    this.gap = gap;
    return at;
  }

  addText(value: string): void {
    const bytes = Buffer.from(value);
    for (let at = 0; at < bytes.length;) {
      at = this.addUpToMark(bytes, at, bytes.length);
      if (at < bytes.length) this.#addByte(bytes[at++]!);
    }
  }

  #addByte(byte: number): void {
    this.#room(2);
    if (this.gap && this.length > 0) this.bytes[this.length++] = SPACE;
    this.gap = false;
    this.bytes[this.length++] = byte;
  }

  /** The text from a place on, without white space at its start, up to so many characters. */
  from(start: number, limit: number): string {
    if (start >= this.length) return '';
    const at = this.bytes[start] === SPACE ? start + 1 : start;
    // A character of JavaScript takes three bytes at the most.
    const end = Math.min(this.length, at + 3 * limit);
    const text = (this.bytes as Buffer).toString('utf8', at, end);
    return text.length <= limit ? text : cut(text, limit);
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  #room(length: number): void {
    if (this.length + length <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + length));
    larger.set(this.view());
    this.bytes = larger;
  }
}

function cut(text: string, limit: number): string {
  // Half of a surrogate pair is no character.
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).trimEnd();
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
