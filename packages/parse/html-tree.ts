import {
  defaultTreeAdapter,
  html as spec,
  parse,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type ParserOptions,
} from 'parse5';
import { withoutCdata, XhtmlRules } from './xhtml-rules.js';

/** What a visitor sees of an element. */
export interface Element {
  readonly tagName: string;
  readonly namespaceURI: string;
  readonly attrs: readonly { readonly name: string; readonly value: string }[];
  /** Those named `#text` have a value. */
  readonly childNodes: readonly { readonly nodeName: string; readonly value?: string }[];
}
export type Document = DefaultTreeAdapterTypes.Document;

/** How often the clock is looked at, in elements. */
const CLOCK_EVERY = 1024;

/**
 * The tree of a page by the HTML Standard, with scripting off. Undefined when `expired` said so before it was done. A
 * page with more than `maxElements` is read up to there (`truncated`), so time and memory do not follow what the page
 * asks for.
 * @param xhtml elements may close themselves, and CDATA sections are text
 */
export function parseTree(
  text: string,
  maxElements: number,
  expired: () => boolean,
  xhtml = false,
): { readonly document: Document; readonly truncated: boolean } | undefined {
  let document: Document = defaultTreeAdapter.createDocument();
  let elements = 0;
  let timedOut = false;
  const stop = new Error('stop');
  try {
    const options: ParserOptions<DefaultTreeAdapterMap> = {
      scriptingEnabled: false,
      treeAdapter: {
        ...defaultTreeAdapter,
        createDocument: () => (document = defaultTreeAdapter.createDocument()),
        createElement(tagName, namespace, attributes) {
          elements++;
          timedOut = elements % CLOCK_EVERY === 0 && expired();
          if (timedOut || elements > maxElements) throw stop;
          return defaultTreeAdapter.createElement(tagName, namespace, attributes);
        },
      },
    };
    document = xhtml ? XhtmlRules.parse(withoutCdata(text), options) : parse(text, options);
  } catch (error) {
    if (error !== stop) throw error;
    return timedOut ? undefined : { document, truncated: true };
  }
  return { document, truncated: false };
}

/** Sees a tree in document order. */
export interface TreeVisitor {
  /** false leaves out what is inside; `leave` is then not called. */
  enter(element: Element): boolean;
  leave(element: Element): void;
  characters(value: string): void;
}

/** Walks a tree of any depth without recursion. The contents of `template` elements are no part of it. */
export function walkTree(document: Document, visitor: TreeVisitor): void {
  const open: { readonly parent: DefaultTreeAdapterTypes.ParentNode; next: number }[] = [{ parent: document, next: 0 }];
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.parent.childNodes[top.next++];
    if (node === undefined) {
      open.pop();
      if (defaultTreeAdapter.isElementNode(top.parent)) visitor.leave(top.parent);
    } else if (defaultTreeAdapter.isTextNode(node)) {
      visitor.characters(node.value);
    } else if (defaultTreeAdapter.isElementNode(node) && visitor.enter(node)) {
      open.push({ parent: node, next: 0 });
    }
  }
}

/** Whether an element is one of HTML, and not of SVG or MathML. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === (spec.NS.HTML as string);
}

/** The text that stands directly in an element. */
export function textIn(element: Element): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

/** The value of an attribute, by its name in lower case. */
export function attribute(element: Element, name: string): string | undefined {
  for (const attr of element.attrs) if (attr.name === name) return attr.value;
  return undefined;
}

/** A set of space-separated tokens, such as `rel`, in lower case. */
export function tokens(value: string | undefined): string[] {
  return value?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
}
