import type { PageText } from '../page-text.js';
import { addStretch, noStretches } from './stretches.js';

/** Records the parts of the text of a page that no snippet may show. It is called while the page is read. */
export class HiddenText {
  readonly #text: PageText;
  /** Depth of the outermost open element whose text is hidden. -1: no such element is open. */
  #depth = -1;
  #from = 0;
  readonly found = noStretches();

  constructor(text: PageText) {
    this.#text = text;
  }

  get isOpen(): boolean {
    return this.#depth >= 0;
  }

  open(depth: number): void {
    if (this.isOpen) return;
    this.#depth = depth;
    this.#from = this.#text.length;
  }

  close(depth: number): void {
    if (depth !== this.#depth) return;
    this.#depth = -1;
    this.hideFrom(this.#from);
  }

  isShown(start: number): boolean {
    return (this.found.ends.at(-1) ?? 0) <= start;
  }

  hideFrom(place: number): void {
    if (!this.isOpen) addStretch(this.found, place, this.#text.length);
  }
}
