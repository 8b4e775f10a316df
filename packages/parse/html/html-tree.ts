import {
  defaultTreeAdapter,
  html as spec,
  parse,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type ParserOptions,
} from 'parse5';
import type { PageBody } from './page-body.js';
import { roleOf, type PageElement } from './page-element.js';
import { attachingShadowRoots, slotsOf, takeSlotted, unslotted, type ShadowRoots, type Slots } from './shadow-roots.js';
import { withoutCdata, XhtmlRules } from './xhtml-rules.js';

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

/** An element of a tree as a reader of pages sees it. */
class TreeElement implements PageElement {
  readonly tagName: string;
  readonly isHtml: boolean;
  readonly #element: DefaultTreeAdapterTypes.Element;

  constructor(element: DefaultTreeAdapterTypes.Element) {
    this.tagName = element.tagName;
    this.isHtml = isHtml(element);
    this.#element = element;
  }

  attribute(name: string): string | undefined {
    return attribute(this.#element, name);
  }

  textInside(): string {
    return this.#element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
  }
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
export function walkTree({ document, shadowRoots }: Tree, body: PageBody): void {
  const open: Place[] = [{ element: undefined, nodes: document.childNodes, next: 0, shadow: undefined }];
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.nodes[top.next++];
    if (node === undefined) {
      open.pop();
      const { element, shadow } = top;
      if (top.isRoot) {
        const nodes = unslotted(element!, shadow!.slots);
        // Nothing that is shown is beside it.
        if (nodes.length > 0) body.characters(' ');
        open.push({ element, nodes, next: 0, shadow: shadow!.around });
      } else if (element) leave(element, body);
    } else if (defaultTreeAdapter.isTextNode(node)) {
      body.characters(node.value);
    } else if (defaultTreeAdapter.isElementNode(node) && enter(node, body, top.shadow !== undefined)) {
      open.push(within(node, top.shadow, shadowRoots));
    }
  }
}

/** @returns whether what is inside is wanted */
function enter(element: DefaultTreeAdapterTypes.Element, body: PageBody, inShadow: boolean): boolean {
  const role = roleOf(element.tagName);
  return !role || body.enter(role, new TreeElement(element), inShadow);
}

function leave(element: DefaultTreeAdapterTypes.Element, body: PageBody): void {
  const role = roleOf(element.tagName);
  if (role) body.leave(role, element.tagName, isHtml(element));
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

function isHtml(element: DefaultTreeAdapterTypes.Element): boolean {
  return element.namespaceURI === spec.NS.HTML;
}

/** The value of an attribute, by its name in lower case. */
export function attribute(element: DefaultTreeAdapterTypes.Element, name: string): string | undefined {
  for (const attr of element.attrs) if (attr.name === name) return attr.value;
  return undefined;
}
