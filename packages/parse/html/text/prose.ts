import type { PageText } from '../page-text.js';
import { addStretch, noStretches, type Stretches } from './stretches.js';

/**
 * The kind of content in an element. `main`: main content. `article`: an article. `header`: the header of an article. `apart`: content
 * that is not part of the main content.
 */
export type Place = 'main' | 'article' | 'header' | 'apart';

/** With this share of links, a run is not prose; with `MAX_CONTENT_LINK_SHARE` it is not content. */
const MAX_PROSE_LINK_SHARE = 0.35;
const MAX_CONTENT_LINK_SHARE = 0.5;

/**
 * Records which runs of the text of a page are prose, while the page is read. This takes very little time. A run is the text between the
 * borders of blocks. A run is prose if it is long, has a comma or stop, and has few links; in `main` or `article` it may be short. A
 * heading belongs to the prose after it. If there is prose in `main`, text outside `main` is not prose. The result has errors, but it is
 * good enough to choose the part of a page to show first.
 */
export class Prose {
  readonly #text: PageText;
  #from = 0;
  /** The start of the part of an open link that is not in `#linked` yet. -1: no link is open. */
  #linkFrom = -1;
  #linked = 0;
  /** Start of the headings directly before the current run. -1: there are no headings. */
  #heading = -1;
  readonly #open: Record<Place, number> = { main: 0, article: 0, header: 0, apart: 0 };
  readonly #all = noStretches();
  readonly #main = noStretches();
  #isInMain = false;
  /**
   * Start and end of each run that is not `apart` and does not consist mostly of links. The list is complete after the last call of
   * {@link Prose.endRun}.
   */
  readonly blocks: number[] = [];

  constructor(text: PageText) {
    this.#text = text;
  }

  /** Whether no run has ended since a position. */
  isInRun(start: number): boolean {
    return this.#from <= start;
  }

  enter(place: Place): void {
    this.#open[place]++;
  }

  leave(place: Place): void {
    this.#open[place]--;
  }

  beginLink(): void {
    if (this.#linkFrom < 0) this.#linkFrom = this.#text.length;
  }

  endLink(): void {
    this.#countLinked();
    this.#linkFrom = -1;
  }

  endRun(isHeading: boolean): void {
    if (this.#text.length !== this.#from) this.#judge(isHeading);
  }

  #judge(isHeading: boolean): void {
    const start = this.#from;
    const end = this.#text.length;
    if (this.#linkFrom >= 0) this.#countLinked();
    const linked = this.#linked;
    this.#from = end;
    this.#linked = 0;
    const { main, article, header, apart } = this.#open;
    const length = end - start;
    if (apart === 0 && linked < MAX_CONTENT_LINK_SHARE * length) this.blocks.push(start, end);
    const isContent = main + article > 0 && header === 0 && apart === 0 && linked < MAX_CONTENT_LINK_SHARE * length;
    if (apart > 0 || (!isContent && !this.#isProse(start, end, linked))) {
      this.#heading = isHeading && apart === 0 ? this.#firstHeading(start) : -1;
      return;
    }
    const from = this.#firstHeading(start);
    this.#heading = -1;
    addStretch(this.#all, from, end);
    if (main === 0) return;
    addStretch(this.#main, from, end);
    this.#isInMain ||= this.#isProse(start, end, linked);
  }

  #isProse(start: number, end: number, linked: number): boolean {
    const length = end - start;
    return (
      length >= MIN_PROSE_COLUMNS && linked < MAX_PROSE_LINK_SHARE * length && isProse(this.#text.bytes, start, end)
    );
  }

  get found(): Stretches {
    return this.#isInMain ? this.#main : this.#all;
  }

  #firstHeading(start: number): number {
    return this.#heading < 0 ? start : this.#heading;
  }

  #countLinked(): void {
    if (this.#linkFrom < 0) return;
    const { length } = this.#text;
    this.#linked += length - this.#linkFrom;
    this.#linkFrom = length;
  }
}

/** A Chinese, Japanese or Korean character has two columns. */
const MIN_PROSE_COLUMNS = 60;

const SPACE = 0x20;
/** Characters that may directly follow a comma or a stop. */
const CLOSING = new Set(Buffer.from('"\')]'));
const STOPS = new Set(Buffer.from(',.;!?'));
/** Commas and stops outside ASCII. */
const OTHER_STOPS = new Set(Array.from('…،؛؟۔।॥၊။។։።፣、。，．！？；｡､', (sign) => sign.codePointAt(0)!));
/** The range of Thai and Lao. These scripts have blanks instead of signs between sentences. */
const [THAI, BEHIND_LAO] = [0xe00, 0xf00];

/** Whether a part of a text in UTF-8 is long enough for prose and has a comma or a stop. Reading ends as soon as this is known. */
function isProse(bytes: Uint8Array, start: number, end: number): boolean {
  let columns = 0;
  let hasStop = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80) {
      columns++;
      if (!hasStop && byte < 0x40 && STOPS.has(byte)) hasStop = at + 1 === end || isBehindStop(bytes[at + 1]!);
    } else if (byte >= 0xc0) {
      columns += byte >= 0xe3 ? 2 : 1;
      if (!hasStop && byte < 0xf0) hasStop = isOtherStop(codePointAt(bytes, at));
    }
    if (hasStop && columns >= MIN_PROSE_COLUMNS) return true;
  }
  return false;
}

function isBehindStop(byte: number): boolean {
  return byte === SPACE || CLOSING.has(byte);
}

function isOtherStop(character: number): boolean {
  return (character >= THAI && character < BEHIND_LAO) || OTHER_STOPS.has(character);
}

/** The code point of a character of two or three bytes in UTF-8. */
function codePointAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | (bytes[at + 1]! & 0x3f);
  return ((byte & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f);
}
