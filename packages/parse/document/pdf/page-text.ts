import type { TextBuilder } from '../../shared/text-builder.js';
import type { LargestLine } from './largest-line.js';

/** A piece of text on a page, as pdfjs-dist returns it. */
export interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  /** The size of the font, in units of the page; 0 if the text runs from top to bottom. */
  readonly height?: number;
}

/** Code points that are not a known character: private use, control characters, and the replacement character. */
const UNKNOWN = /[\p{Co}\ufffd\0-\x08\x0e-\x1f\x7f-\x9f]/gu;

/**
 * If at most one in this number of characters is unknown, such as a bullet, the text of the page counts as known. Otherwise it counts as
 * lost.
 */
const KNOWN_FOR_UNKNOWN = 10;

/** Adds the text of one page, and counts characters that are not known. These are left out. */
export class PageText {
  readonly #text: TextBuilder;
  readonly #line: LargestLine | undefined;
  #characters = 0;
  #unknown = 0;

  constructor(text: TextBuilder, line: LargestLine | undefined) {
    this.#text = text;
    this.#line = line;
  }

  get isLost(): boolean {
    return this.#unknown * KNOWN_FOR_UNKNOWN > this.#characters;
  }

  get isBlank(): boolean {
    return this.#characters === 0;
  }

  add({ str = '', hasEOL = false, height = 0 }: TextItem): void {
    const known = str.replace(UNKNOWN, ' ');
    this.#characters += str.trim().length;
    // The length in UTF-16 units is counted, because some code points for private use have two units.
    if (known !== str) this.#unknown += str.match(UNKNOWN)!.join('').length;
    this.#text.add(known);
    this.#line?.add(known, height);
    if (!hasEOL) return;
    this.#text.breakWord();
    this.#line?.breakWord();
  }
}
