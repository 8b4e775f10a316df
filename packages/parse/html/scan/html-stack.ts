import { ENDS_ITEM_SEARCH, IMPLIED_END, type ElementKind } from './html-elements.js';
import type { PageBody } from '../page-body.js';
import type { PageElement } from '../page-element.js';

/** Elements open at once; a page with more is read from its tree, so that looking through them costs little. */
const MAX_DEPTH = 500;

/** Thrown where the scanner gives up. */
export class Unsure extends Error {}

/** Gives up. */
export function unsure(): never {
  throw new Unsure();
}

/** The stack of open elements; what opens and closes is shown to the body. */
export class OpenElements {
  readonly #body: PageBody;
  #left: number;
  readonly #kinds: ElementKind[] = [];
  /** How many are open around the drawing; -1 outside of one. */
  #aroundDrawing = -1;

  /** @param maxElements elements up to which it goes on */
  constructor(body: PageBody, maxElements: number) {
    this.#body = body;
    this.#left = maxElements;
  }

  /** The kind of the innermost; undefined where none is open. */
  get top(): ElementKind | undefined {
    return this.#kinds[this.#kinds.length - 1];
  }

  /** Whether the innermost is none of HTML. */
  get isForeign(): boolean {
    return this.#aroundDrawing >= 0;
  }

  /**
   * @param element what may be asked of it
   * @returns false: what is in it is left out, and it was not opened
   */
  push(kind: ElementKind, element: PageElement): boolean {
    this.#count();
    if (kind.role && !this.#body.enter(kind.role, element)) return false;
    this.#kinds.push(kind);
    return true;
  }

  /** An element of whose attributes nothing is asked. */
  pushBare(kind: ElementKind): void {
    this.push(kind, { tagName: kind.name, isHtml: true, attribute: () => undefined, textInside: () => '' });
  }

  /** An element of SVG, of which the body sees nothing but text. */
  pushForeign(kind: ElementKind): void {
    this.#count();
    if (this.#aroundDrawing < 0) this.#aroundDrawing = this.#kinds.length;
    this.#kinds.push(kind);
  }

  /** Closes the innermost. */
  pop(): void {
    const kind = this.#kinds.pop();
    if (this.isForeign) {
      if (this.#kinds.length === this.#aroundDrawing) this.#aroundDrawing = -1;
    } else if (kind?.role) this.#body.leave(kind.role, kind.name, true);
  }

  /** Closes all but the outermost. */
  popTo(length: number): void {
    while (this.#kinds.length > length) this.pop();
  }

  /** Closes one and those in it, which must be such that their end tags may be left out. */
  close(index: number): void {
    if (index < 0) unsure();
    this.closeWith(index, (kind) => (kind.rules & IMPLIED_END) !== 0);
  }

  /** Closes one and those in it, each of which must be such that this may be. */
  closeWith(index: number, mayClose: (kind: ElementKind) => boolean): void {
    for (let i = index + 1; i < this.#kinds.length; i++) if (!mayClose(this.#kinds[i]!)) unsure();
    this.popTo(index);
  }

  /** Where the innermost of a name is, unless one that bounds the scope is within it; else -1. */
  find(name: string, scope = 0): number {
    for (let i = this.#kinds.length - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (open.name === name) return i;
      if ((open.rules & scope) !== 0) return -1;
    }
    return -1;
  }

  /** Where the innermost is for which this holds; -1 where there is none. */
  findLast(test: (kind: ElementKind) => boolean): number {
    return this.#kinds.findLastIndex(test);
  }

  /** Closes the list item before one of this name, unless it is of another list. */
  closeItem(name: string): void {
    for (let i = this.#kinds.length - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (name === 'li' ? open.name === 'li' : open.name === 'dd' || open.name === 'dt') return this.close(i);
      // parse5 looks further through this one, which the Standard counts as special.
      if (open.name === 'search') unsure();
      if ((open.rules & ENDS_ITEM_SEARCH) !== 0) return;
    }
  }

  #count(): void {
    if (--this.#left < 0 || this.#kinds.length >= MAX_DEPTH) unsure();
  }
}
