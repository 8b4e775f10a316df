import {
  defaultTreeAdapter,
  html as spec,
  parse,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type ParserOptions,
} from 'parse5';
import { attachingShadowRoots, slotsOf, takeSlotted, unslotted, type ShadowRoots, type Slots } from './shadow-roots.js';
import { withoutCdata, XhtmlRules } from './xhtml-rules.js';

/** What a visitor sees of an element. */
export interface Element {
  readonly tagName: string;
  readonly namespaceURI: string;
  readonly attrs: readonly { readonly name: string; readonly value: string }[];
  /** Those named `#text` have a value. */
  readonly childNodes: readonly { readonly nodeName: string; readonly value?: string }[];
}

/** The tree of a page. */
export interface Tree {
  readonly document: DefaultTreeAdapterTypes.Document;
  readonly shadowRoots: ShadowRoots;
  /** It has more than `maxElements`, and was read up to there. */
  readonly truncated: boolean;
  /** Elements that were made for it. */
  readonly elements: number;
}

/** How often the clock is looked at, in elements. */
const CLOCK_EVERY = 1024;

/**
 * The tree of a page by the HTML Standard, with scripting off. Undefined when `expired` said so before it was done. A
 * page with more than `maxElements` is read up to there (`truncated`), so time and memory do not follow what the page
 * asks for.
 * @param xhtml elements may close themselves, and CDATA sections are text; XML has no declarative shadow roots
 */
export function parseTree(text: string, maxElements: number, expired: () => boolean, xhtml = false): Tree | undefined {
  let document = defaultTreeAdapter.createDocument();
  const shadowRoots = new Map<DefaultTreeAdapterTypes.ParentNode, DefaultTreeAdapterTypes.DocumentFragment>();
  let elements = 0;
  let timedOut = false;
  let truncated = false;
  const stop = new Error('stop');
  try {
    const options: ParserOptions<DefaultTreeAdapterMap> = {
      scriptingEnabled: false,
      treeAdapter: {
        ...(xhtml ? defaultTreeAdapter : attachingShadowRoots(defaultTreeAdapter, shadowRoots)),
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
    truncated = true;
  }
  return timedOut ? undefined : { document, shadowRoots, truncated, elements };
}

/** Sees a tree in the order in which it is shown. */
export interface TreeVisitor {
  /**
   * false leaves out what is inside; `leave` is then not called.
   * @param inShadow it is part of a shadow tree, and not of the document
   */
  enter(element: Element, inShadow?: boolean): boolean;
  leave(element: Element): void;
  characters(value: string): void;
}

/** A list of nodes on the way through a tree. */
interface Place {
  /** Is left at the end of the list. */
  readonly element: DefaultTreeAdapterTypes.Element | undefined;
  readonly nodes: readonly DefaultTreeAdapterTypes.ChildNode[];
  next: number;
  /** The shadow tree that the nodes are in. */
  readonly shadow: Shadow | undefined;
  /** The nodes are the whole of that shadow tree. */
  readonly isRoot?: true;
}

interface Shadow {
  readonly slots: Slots;
  /** The tree that the host is in. */
  readonly around: Shadow | undefined;
}

/**
 * Walks a tree of any depth without recursion: the flat tree of the DOM Standard, in which a shadow root takes the place
 * of what is in its host, and its slots show that. What no slot takes comes last: browsers do not show it, but it is
 * there. The contents of other `template` elements are no part of it.
 */
export function walkTree({ document, shadowRoots }: Tree, visitor: TreeVisitor): void {
  const open: Place[] = [{ element: undefined, nodes: document.childNodes, next: 0, shadow: undefined }];
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.nodes[top.next++];
    if (node === undefined) {
      open.pop();
      const { element, shadow } = top;
      if (top.isRoot) {
        const nodes = unslotted(element!, shadow!.slots);
        // Nothing that is shown is beside it.
        if (nodes.length > 0) visitor.characters(' ');
        open.push({ element, nodes, next: 0, shadow: shadow!.around });
      } else if (element) visitor.leave(element);
    } else if (defaultTreeAdapter.isTextNode(node)) {
      visitor.characters(node.value);
    } else if (defaultTreeAdapter.isElementNode(node) && visitor.enter(node, top.shadow !== undefined)) {
      open.push(within(node, top.shadow, shadowRoots));
    }
  }
}

/** What is shown in an element. */
function within(element: DefaultTreeAdapterTypes.Element, shadow: Shadow | undefined, shadowRoots: ShadowRoots): Place {
  const root = shadowRoots.get(element);
  if (root) {
    const own = { slots: slotsOf(element), around: shadow };
    return { element, nodes: root.childNodes, next: 0, shadow: own, isRoot: true };
  }
  const slotted = shadow && takeSlotted(element, shadow.slots);
  if (slotted) return { element, nodes: slotted, next: 0, shadow: shadow.around };
  return { element, nodes: element.childNodes, next: 0, shadow };
}

/** Whether an element is one of HTML, and not of SVG or MathML. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === (spec.NS.HTML as string);
}

/** The text directly in an element. */
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
