import { html as spec } from 'parse5';
import { ENDS_ITEM_SEARCH, IMPLIED_END, RAW_TEXT, RICH_TEXT, type ElementKind } from './html-elements.js';
import type { Element, TreeVisitor } from '../html-tree.js';

/** Elements open at once; a page with more is read from its tree, so that looking through them costs little. */
const MAX_DEPTH = 500;

/** Thrown where the scanner gives up. */
export class Unsure extends Error {}

/** Gives up. */
export function unsure(): never {
  throw new Unsure();
}

/** The stack of open elements; what opens and closes is shown to the visitor. */
export class OpenElements {
  readonly #visitor: TreeVisitor;
  #left: number;
  readonly #kinds: ElementKind[] = [];
  readonly #elements: Element[] = [];

  /** @param maxElements elements up to which it goes on */
  constructor(visitor: TreeVisitor, maxElements: number) {
    this.#visitor = visitor;
    this.#left = maxElements;
  }

  /** The kind of the innermost; undefined where none is open. */
  get top(): ElementKind | undefined {
    return this.#kinds[this.#kinds.length - 1];
  }

  /** Whether the innermost is none of HTML. */
  get isForeign(): boolean {
    const { length } = this.#elements;
    return length > 0 && this.#elements[length - 1]!.namespaceURI !== (spec.NS.HTML as string);
  }

  /** @returns whether the visitor wants to see what is in it */
  push(kind: ElementKind, element: Element = kind.bare): boolean {
    if (--this.#left < 0 || this.#kinds.length >= MAX_DEPTH) unsure();
    this.#kinds.push(kind);
    this.#elements.push(element);
    const isSeen = this.#visitor.enter(element);
    // Of what the visitor passes over, only plain text is known how to be left out.
    if (!isSeen && (kind.rules & (RAW_TEXT | RICH_TEXT)) === 0) unsure();
    return isSeen;
  }

  /** Closes the innermost. */
  pop(isSeen = true): void {
    this.#kinds.pop();
    const element = this.#elements.pop();
    if (element && isSeen) this.#visitor.leave(element);
  }

  /** Closes all but the outermost. */
  popTo(length: number): void {
    while (this.#elements.length > length) this.pop();
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
}
