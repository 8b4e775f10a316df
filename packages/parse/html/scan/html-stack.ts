import { ENDS_ITEM_SEARCH, IMPLIED_END, kindOf, type ElementKind } from './html-elements.js';
import type { PageBody } from '../page-body.js';
import type { PageElement } from '../page-element.js';

/** Elements open at once; a page with more is read from its tree, so that looking through them costs little. */
const MAX_DEPTH = 500;

const [LI, DD, DT, SEARCH] = [kindOf('li'), kindOf('dd'), kindOf('dt'), kindOf('search')];

/** Thrown where the scanner gives up. */
export class Unsure extends Error {}

/** Gives up. */
export function unsure(): never {
  throw new Unsure();
}

/** An element of whose attributes nothing is asked. */
class BareElement implements PageElement {
  readonly isHtml = true;
  readonly tagName: string;

  constructor(tagName: string) {
    this.tagName = tagName;
  }

  attribute(): undefined {
    return undefined;
  }

  textInside(): string {
    return '';
  }
}

/** The stack of open elements; what opens and closes is shown to the body. */
export class OpenElements {
  readonly #body: PageBody;
  #left: number;
  /** From the outermost on; behind `#depth` those that are closed. */
  readonly #kinds: ElementKind[] = [];
  #depth = 0;
  /** The kind of the innermost; undefined where none is open. */
  top: ElementKind | undefined;
  /** How many are open around the drawing; -1 outside of one. */
  #aroundDrawing = -1;

  /** @param maxElements elements up to which it goes on */
  constructor(body: PageBody, maxElements: number) {
    this.#body = body;
    this.#left = maxElements;
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
    this.#put(kind);
    return true;
  }

  /** An element of whose attributes nothing is asked. */
  pushBare(kind: ElementKind): void {
    this.push(kind, new BareElement(kind.name));
  }

  /** An element of SVG, of which the body sees nothing but text. */
  pushForeign(kind: ElementKind): void {
    this.#count();
    if (this.#aroundDrawing < 0) this.#aroundDrawing = this.#depth;
    this.#put(kind);
  }

  /** Closes the innermost. */
  pop(): void {
    const kind = this.top;
    if (!kind) return;
    const depth = --this.#depth;
    this.top = depth > 0 ? this.#kinds[depth - 1] : undefined;
    if (this.isForeign) {
      if (depth === this.#aroundDrawing) this.#aroundDrawing = -1;
    } else if (kind.role) this.#body.leave(kind.role, kind.name, true);
  }

  /** Closes all but the outermost. */
  popTo(length: number): void {
    while (this.#depth > length) this.pop();
  }

  /** Closes one and those in it, which must be such that their end tags may be left out. */
  close(index: number): void {
    if (index < 0) unsure();
    this.closeWith(index);
  }

  /** Closes one and those in it, each of which must be such that its end tag may be left out, or one of these names. */
  closeWith(index: number, names?: readonly string[]): void {
    for (let i = index + 1; i < this.#depth; i++) {
      const { rules, name } = this.#kinds[i]!;
      if ((rules & IMPLIED_END) === 0 && !names?.includes(name)) unsure();
    }
    this.popTo(index);
  }

  /** Where the innermost of a known kind is, unless one that bounds the scope is within it; else -1. */
  find(kind: ElementKind, scope = 0): number {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (open === kind) return i;
      if ((open.rules & scope) !== 0) return -1;
    }
    return -1;
  }

  /** Where the innermost is of which one of these rules holds; -1 where there is none. */
  findLast(rules: number): number {
    for (let i = this.#depth - 1; i >= 0; i--) if ((this.#kinds[i]!.rules & rules) !== 0) return i;
    return -1;
  }

  /** Closes the list item before one of this kind, unless it is of another list. */
  closeItem(kind: ElementKind): void {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (kind === LI ? open === LI : open === DD || open === DT) return this.close(i);
      // parse5 looks further through this one, which the Standard counts as special.
      if (open === SEARCH) unsure();
      if ((open.rules & ENDS_ITEM_SEARCH) !== 0) return;
    }
  }

  #put(kind: ElementKind): void {
    this.#kinds[this.#depth++] = kind;
    this.top = kind;
  }

  #count(): void {
    if (--this.#left < 0 || this.#depth >= MAX_DEPTH) unsure();
  }
}
