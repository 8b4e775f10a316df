/** Maximum length of a piece of white space to examine at once. So a huge text is not copied for a few characters. */
const MAX_BLANK_CHUNK = 65_536;

/**
 * Collects text. Every run of white space becomes one space. The text neither begins nor ends with a space, and never exceeds `limit`
 * characters.
 */
export class TextBuilder {
  readonly #limit: number;
  #text = '';
  #gap = false;
  /** Whether the limit was reached. The text may then have one character less than the limit. */
  #full = false;

  /** @param limit maximum number of characters; below 0: no limit */
  constructor(limit: number) {
    this.#limit = limit < 0 ? Infinity : limit;
  }

  get full(): boolean {
    return this.#full || this.#text.length >= this.#limit;
  }

  /** The next character begins a new word. */
  breakWord(): void {
    this.#gap = true;
  }

  add(value: string): void {
    for (let at = 0; at < value.length && !this.full; at += MAX_BLANK_CHUNK) {
      this.#addPiece(value.length <= MAX_BLANK_CHUNK ? value : value.slice(at, at + MAX_BLANK_CHUNK));
    }
  }

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
    // A surrogate pair is left out as a whole if its second half does not fit.
    if (/[\ud800-\udbff]/.test(part.charAt(room - 1))) room--;
    this.#text += part.slice(0, room);
    this.#full = true;
  }
}

/**
 * Tells the kind of a piece without a regular expression. `blank`: only white space. `words`: the piece needs no change. `mixed`: other
 * pieces.
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

/** Whether a code below U+0080 is white space, except the space. */
const isBreak = (code: number): boolean => code >= 9 && code <= 13;

/** Whether a code is in a range without white space. The caller tests for ASCII white space first. */
const isPlain = (code: number): boolean =>
  code < 0xa0 || (code > 0xa0 && code < 0x1680) || (code > 0x3000 && code < 0xfeff);
