import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, isElement, type HtmlDocument } from '../../core/index.js';
import type { SeenElement } from './element-links.js';

const HTML = 'http://www.w3.org/1999/xhtml';

/** An element of the tree of a page. */
export interface TreeElement extends SeenElement {
  readonly isInHead: boolean;
  /** Returns the text that is directly in this element. */
  textInside(): string;
}

interface Visitor {
  /** @returns a value to pass to `leave` */
  enter(element: TreeElement): number;
  leave(element: TreeElement, entered: number): void;
  text(text: string): void;
}

/** A step of the walk: an element to leave, or the next child of an element. */
interface Step {
  readonly node: Tree.ParentNode;
  readonly element: TreeElement | undefined;
  readonly entered: number;
  next: number;
}

/** Calls the functions for each element and text of the tree, in page order, at any depth. It skips the contents of `template`. */
export function walkElements(document: HtmlDocument, { enter, leave, text }: Visitor): void {
  const open: Step[] = [{ node: document, element: undefined, entered: 0, next: 0 }];
  let inHead = false;
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.node.childNodes[top.next++];
    if (node === undefined) {
      open.pop();
      if (top.element) leave(top.element, top.entered);
      if (top.element?.tagName === 'head') inHead = false;
    } else if (isElement(node)) {
      const element = seen(node, inHead);
      inHead ||= element.tagName === 'head';
      open.push({ node, element, entered: enter(element), next: 0 });
    } else if (node.nodeName === '#text') {
      text(node.value);
    }
  }
}

function seen(node: Tree.Element, isInHead: boolean): TreeElement {
  return {
    tagName: node.tagName.toLowerCase(),
    isHtml: (node.namespaceURI as string) === HTML,
    isInHead,
    attribute: (name) => attribute(node, name),
    textInside: () => node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
  };
}
