import { ENDS_ITEM_SEARCH, IMPLIED_END, kindOf, type ElementKind } from './html-elements.js';
import type { PageBody } from '../page-body.js';
import type { PageElement } from '../page-element.js';

/** Maximum number of open elements, so that it takes little time to search them. A page with more is read from its tree. */
const MAX_DEPTH = 500;

const [LI, DD, DT, SEARCH] = [kindOf('li'), kindOf('dd'), kindOf('dt'), kindOf('search')];

export class Unsure extends Error {}

export function unsure(): never {
  throw new Unsure();
}

/** An element without attributes and text, for elements whose attributes are not needed. */
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

/** The stack of open elements. It reports to the body which elements open and close. */
export class OpenElements {
  readonly #body: PageBody;
  #left: number;
  /** The kinds of the open elements, from the outermost on. Entries from `#depth` on belong to closed elements. */
  readonly #kinds: ElementKind[] = [];
  #depth = 0;
  top: ElementKind | undefined;
  /** Number of open elements around the SVG drawing; -1 if no drawing is open. */
  #aroundDrawing = -1;

  /** @param maxElements maximum number of elements; with more, the scanner gives up */
  constructor(body: PageBody, maxElements: number) {
    this.#body = body;
    this.#left = maxElements;
  }

  get isForeign(): boolean {
    return this.#aroundDrawing >= 0;
  }

  /**
   * Opens an element.
   * @param element gives access to attributes and text of the element
   * @returns false if the content of the element is left out; then the element is not open
   */
  push(kind: ElementKind, element: PageElement): boolean {
    this.#count();
    if (kind.role && !this.#body.enter(kind.role, element)) return false;
    this.#put(kind);
    return true;
  }

  pushBare(kind: ElementKind): void {
    this.push(kind, new BareElement(kind.name));
  }

  /** Opens an SVG element. The body gets only its text. */
  pushForeign(kind: ElementKind): void {
    this.#count();
    if (this.#aroundDrawing < 0) this.#aroundDrawing = this.#depth;
    this.#put(kind);
  }

  pop(): void {
    const kind = this.top;
    if (!kind) return;
    const depth = --this.#depth;
    this.top = depth > 0 ? this.#kinds[depth - 1] : undefined;
    if (this.isForeign) {
      if (depth === this.#aroundDrawing) this.#aroundDrawing = -1;
    } else if (kind.role) this.#body.leave(kind.role, kind.name, true);
  }

  /** Closes all elements except the outermost `length` ones. */
  popTo(length: number): void {
    while (this.#depth > length) this.pop();
  }

  /** Closes an element and the elements inside it. The scanner gives up if an inner element has an end tag that must not be left out. */
  close(index: number): void {
    if (index < 0) unsure();
    this.closeWith(index);
  }

  /**
   * Closes an element and the elements inside it. The scanner gives up if the end tag of an inner element must not be left out. Inner
   * elements with one of these names are allowed.
   */
  closeWith(index: number, names?: readonly string[]): void {
    for (let i = index + 1; i < this.#depth; i++) {
      const { rules, name } = this.#kinds[i]!;
      if ((rules & IMPLIED_END) === 0 && !names?.includes(name)) unsure();
    }
    this.popTo(index);
  }

  /**
   * Returns the index of the innermost element of a known kind. -1: no such element is open, or the search meets an element with a rule
   * of `scope` first.
   */
  find(kind: ElementKind, scope = 0): number {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (open === kind) return i;
      if ((open.rules & scope) !== 0) return -1;
    }
    return -1;
  }

  /** The index of the innermost element with one of these rules. -1: there is no such element. */
  findLast(rules: number): number {
    for (let i = this.#depth - 1; i >= 0; i--) if ((this.#kinds[i]!.rules & rules) !== 0) return i;
    return -1;
  }

  /** Closes the previous list item, unless the new item belongs to another list. */
  closeItem(kind: ElementKind): void {
    for (let i = this.#depth - 1; i >= 0; i--) {
      const open = this.#kinds[i]!;
      if (kind === LI ? open === LI : open === DD || open === DT) return this.close(i);
      // The search of parse5 continues beyond a `search` element. In the Standard it ends there, because this element is special.
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
