/** A long run of white space is looked at in pieces, so that no copy of a huge text is made to keep little of it. */
const PIECE = 65_536;
const SPACE = 0x20;

/** Collects text with every run of white space made one space, none at the ends, and never more than `limit` characters. */
export class TextBuilder {
  readonly #limit: number;
  #text = '';
  #gap = false;
  /** The limit may be reached one short of it. */
  #full = false;

  /** @param limit characters kept; below 0: no limit */
  constructor(limit: number) {
    this.#limit = limit < 0 ? Infinity : limit;
  }

  /** Nothing that is added is kept any more. */
  get full(): boolean {
    return this.#full || this.#text.length >= this.#limit;
  }

  /** What comes next is a new word. */
  breakWord(): void {
    this.#gap = true;
  }

  add(value: string): void {
    for (let at = 0; at < value.length && !this.full; at += PIECE) {
      this.#addPiece(value.length <= PIECE ? value : value.slice(at, at + PIECE));
    }
  }

  /** The text so far. */
  toString(): string {
    return this.#text.trimEnd();
  }

  #addPiece(piece: string): void {
    let start = 0;
    while (start < piece.length && isSpace(piece.charCodeAt(start))) start++;
    if (start > 0) this.#gap = true;
    if (start === piece.length) return;
    let end = piece.length;
    while (isSpace(piece.charCodeAt(end - 1))) end--;
    if (this.#gap && this.#text !== '') this.#append(' ');
    const words = piece.slice(start, end);
    this.#append(isCollapsed(words) ? words : words.replace(/[^\S ]\s*| \s+/g, ' '));
    this.#gap = end < piece.length;
  }

  #append(part: string): void {
    let room = this.#limit - this.#text.length;
    if (part.length < room) {
      this.#text += part;
      return;
    }
    // Half of a surrogate pair is no character, and the other half would not be kept.
    if (/[\ud800-\udbff]/.test(part.charAt(room - 1))) room--;
    this.#text += part.slice(0, room);
    this.#full = true;
  }
}

/** What `\s` stands for in a regular expression. */
function isSpace(code: number): boolean {
  if (code < 0xa0) return code === SPACE || (code >= 0x09 && code <= 0x0d);
  if (code < 0x2000) return code === 0xa0 || code === 0x1680;
  if (code <= 0x205f) return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
  return code === 0x3000 || code === 0xfeff;
}

/** Whether all white space in it is single spaces. */
function isCollapsed(words: string): boolean {
  let afterSpace = false;
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    if (code === SPACE && afterSpace) return false;
    afterSpace = code === SPACE;
    if (!afterSpace && isSpace(code)) return false;
  }
  return true;
}
