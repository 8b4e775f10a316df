/** A long run of white space is looked at in pieces, so that no copy of a huge text is made to keep little of it. */
const PIECE = 65_536;

/** Collects text with every run of white space made one space, none at the ends, and never more than `limit` characters. */
export class TextBuilder {
  readonly #limit: number;
  readonly #parts: string[] = [];
  #length = 0;
  #gap = false;

  /** @param limit characters kept; below 0: no limit */
  constructor(limit: number) {
    this.#limit = limit < 0 ? Infinity : limit;
  }

  /** Nothing that is added is kept any more. */
  get full(): boolean {
    return this.#length >= this.#limit;
  }

  /** What comes next is a new word. */
  breakWord(): void {
    this.#gap = true;
  }

  add(value: string): void {
    for (let at = 0; at < value.length && !this.full; at += PIECE) {
      const piece = value.length <= PIECE ? value : value.slice(at, at + PIECE);
      const collapsed = piece.replace(/[^\S ]\s*| \s+/g, ' ');
      const words = collapsed.trim();
      if (collapsed.startsWith(' ')) this.#gap = true;
      if (words === '') continue;
      if (this.#gap && this.#length > 0) this.#append(' ');
      this.#append(words);
      this.#gap = collapsed.endsWith(' ');
    }
  }

  /** The text so far. */
  toString(): string {
    return this.#parts.join('').trimEnd();
  }

  #append(part: string): void {
    let room = this.#limit - this.#length;
    if (part.length > room) {
      // Half of a surrogate pair is no character.
      if (/[\ud800-\udbff]/.test(part.charAt(room - 1))) room--;
      this.#parts.push(part.slice(0, room));
      this.#length = this.#limit;
    } else {
      this.#parts.push(part);
      this.#length += part.length;
    }
  }
}
