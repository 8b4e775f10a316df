/** A long run of white space is looked at in pieces, so that no copy of a huge text is made to keep little of it. */
const PIECE = 65_536;

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
    const kind = kindOf(piece);
    if (kind === 'blank') {
      this.#gap = true;
      return;
    }
    if (kind === 'words') {
      if (this.#gap && this.#text !== '') this.#append(' ');
      this.#append(piece);
      this.#gap = false;
      return;
    }
    const rest = piece.trimStart();
    if (rest.length < piece.length) this.#gap = true;
    if (rest === '') return;
    if (this.#gap && this.#text !== '') this.#append(' ');
    const words = rest.trimEnd();
    this.#append(words.replace(/[^\S ]\s*| \s+/g, ' '));
    this.#gap = words.length < rest.length;
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

/**
 * Tells common pieces apart without a regular expression: all white space, or words that can be kept as they are. `mixed`: anything
 * else.
 */
function kindOf(piece: string): 'blank' | 'words' | 'mixed' {
  let isBlank = true;
  let wasSpace = true;
  for (let i = 0; i < piece.length; i++) {
    const code = piece.charCodeAt(i);
    if (code === 0x20) {
      if (wasSpace && !isBlank) return 'mixed';
      wasSpace = true;
    } else if (isBreak(code)) {
      if (!isBlank) return 'mixed';
    } else if (isPlain(code)) {
      if (isBlank && i > 0) return 'mixed';
      isBlank = wasSpace = false;
    } else {
      return 'mixed';
    }
  }
  if (isBlank) return 'blank';
  return wasSpace ? 'mixed' : 'words';
}

/** White space below U+0080 that is no space. */
const isBreak = (code: number): boolean => code >= 9 && code <= 13;

/** Is no white space, if it is none below U+0080; of what is not in these ranges some is. */
const isPlain = (code: number): boolean =>
  code < 0xa0 || (code > 0xa0 && code < 0x1680) || (code > 0x3000 && code < 0xfeff);
