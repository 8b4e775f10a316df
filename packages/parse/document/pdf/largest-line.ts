import { MAX_HEADING_LENGTH } from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';

/** Letters are larger only if their size is larger by this factor. */
const LARGER = 1.05;

/**
 * Finds the text in the largest letters on the first page with text. It is mostly the title. If the page has letters of only one size, no
 * text is found.
 */
export class LargestLine {
  #height = 0;
  #line = new TextBuilder(MAX_HEADING_LENGTH);
  #isOpen = false;
  #hasSmaller = false;

  isDone = false;

  /** The text that was found. Empty: no text was found. */
  get text(): string {
    return this.#hasSmaller && !this.#line.full ? this.#line.toString() : '';
  }

  add(text: string, height: number): void {
    if (text.trim() === '') return this.#line.add(text);
    if (height > this.#height * LARGER) {
      this.#hasSmaller = this.#height > 0;
      this.#height = height;
      this.#line = new TextBuilder(MAX_HEADING_LENGTH);
      this.#isOpen = true;
    } else if (height * LARGER < this.#height) {
      this.#hasSmaller = true;
      this.#isOpen = false;
    }
    if (this.#isOpen) this.#line.add(text);
  }

  breakWord(): void {
    this.#line.breakWord();
  }

  endPage(): void {
    this.isDone = this.#height > 0;
  }
}
