/** The part of a page before its body: the doctype and the head (HTML Standard, 13.2.6.4.1 to 13.2.6.4.6). */
import { IN_HEAD, kindOf, type ElementKind } from './html-elements.js';
import { unsure, type OpenElements } from './html-stack.js';
import type { PageElement } from '../page-element.js';

const [HTML, HEAD, BODY] = [kindOf('html'), kindOf('head'), kindOf('body')];

/**
 * The next step of the scanner for a start tag before the body. `done`: nothing is left to do. `insert`: create the element. `inBody`:
 * handle the tag as in the body.
 */
type Next = 'done' | 'insert' | 'inBody';

/** The state of a page before its body. The body also opens if its tag is missing. */
export class HeadRules {
  readonly #open: OpenElements;
  #phase: 'start' | 'beforeHead' | 'head' | 'afterHead' = 'start';
  doctype: string | undefined;
  isOver = false;

  constructor(open: OpenElements) {
    this.#open = open;
  }

  /** Whether only white space, comments and doctypes were read so far. */
  get isAtStart(): boolean {
    return this.#phase === 'start';
  }

  startTag(kind: ElementKind, tag: PageElement): Next {
    const { name, rules } = kind;
    if (name === 'html') {
      if (this.#phase !== 'start') unsure();
      this.#open.push(kind, tag);
      this.#phase = 'beforeHead';
      return 'done';
    }
    if (name === 'head') {
      if (this.#phase !== 'start' && this.#phase !== 'beforeHead') unsure();
      this.#openHead();
      return 'done';
    }
    if ((rules & IN_HEAD) !== 0) {
      // The Standard would move an element after the head back into the head.
      if (this.#phase === 'afterHead') unsure();
      this.#openHead();
      return 'insert';
    }
    // In a `noscript` of the head, only some elements are allowed.
    if (name === 'noscript' && this.#phase !== 'afterHead') unsure();
    this.openBody();
    return name === 'body' ? 'done' : 'inBody';
  }

  endTag({ name }: ElementKind): void {
    if (name !== 'head' || this.#phase !== 'head') unsure();
    this.#open.pop();
    this.#phase = 'afterHead';
  }

  openBody(): void {
    if (this.isOver) return;
    if (this.#phase !== 'afterHead') {
      this.#openHead();
      this.#open.pop();
    }
    this.#open.pushBare(BODY);
    this.isOver = true;
  }

  #openHead(): void {
    if (this.#phase === 'start') this.#open.pushBare(HTML);
    if (this.#phase !== 'head') this.#open.pushBare(HEAD);
    this.#phase = 'head';
  }
}
