import {
  defaultTreeAdapter,
  parse,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type ParserOptions,
  Parser,
  Token,
  TokenizerMode,
} from 'parse5';
import { isHtml, isMathMl, ownText, walkTree, type Visitor } from './elements.js';
import { isJsonLd } from './head/json-ld.js';
import type { PageBody } from './page-body.js';
import { MARKABLE, roleOf, roleOfElement, type PageElement } from './page-element.js';
import { attachingShadowRoots, slotsOf, takeSlotted, unslotted, type ShadowRoots, type Slots } from './shadow-roots.js';
import { contentOfNotes, holdsNotes, repeatsOf, standOf } from './text/notes.js';

interface Tree {
  readonly document: DefaultTreeAdapterTypes.Document;
  readonly shadowRoots: ShadowRoots;
  readonly formulas: readonly DefaultTreeAdapterTypes.Element[];
  /** Whether the page has more than `maxElements`. If so, the rest of the page was left out. */
  readonly truncated: boolean;
  readonly elements: number;
}

/** Number of elements after which the clock is checked again. */
const CLOCK_EVERY = 1024;

/**
 * Builds the tree of a page by the HTML Standard, with scripting off. Undefined: `expired` returned true before the tree was complete. A
 * page with more than `maxElements` is read up to that number, and `truncated` is set. So a page cannot take unlimited time or memory.
 * @param xhtml whether elements may close themselves, and CDATA sections are text; if true, the page has no declarative shadow roots
 */
export function parseTree(text: string, maxElements: number, expired: () => boolean, xhtml = false): Tree | undefined {
  let document = defaultTreeAdapter.createDocument();
  const shadowRoots = new Map<DefaultTreeAdapterTypes.ParentNode, DefaultTreeAdapterTypes.DocumentFragment>();
  const formulas: DefaultTreeAdapterTypes.Element[] = [];
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
          const element = defaultTreeAdapter.createElement(tagName, namespace, attributes);
          if (tagName === 'math' && isMathMl(element)) formulas.push(element);
          return element;
        },
      },
    };
    document = xhtml ? XhtmlRules.parse(withoutCdata(text), options) : parse(text, options);
  } catch (error) {
    if (error !== stop) throw error;
    truncated = true;
  }
  return timedOut ? undefined : { document, shadowRoots, formulas, truncated, elements };
}

/** Elements that state something about the page, except in a shadow tree. */
const OF_PAGE: ReadonlySet<string> = new Set(['base', 'link', 'meta']);

export class TreeElement implements PageElement {
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
    return ownText(this.#element);
  }
}

interface Place {
  readonly element: DefaultTreeAdapterTypes.Element | undefined;
  readonly nodes: readonly DefaultTreeAdapterTypes.ChildNode[];
  next: number;
  readonly shadow: Shadow | undefined;
  readonly isRoot?: true;
}

interface Shadow {
  readonly slots: Slots;
  readonly around: Shadow | undefined;
}

/** Adds the content of a tree to a page body. The tree becomes flat. `standOf` decides on the positions of notes and formulas. */
export function readTree(tree: Tree, body: PageBody): void {
  flattenShadowRoots(tree);
  const repeats = repeatsOf(tree.formulas);
  /** Notes of the block that is open. */
  let notes: DefaultTreeAdapterTypes.Element[] = [];
  let areHidden = false;
  /** Notes within notes wait for the next block, so the depth of calls is bounded. */
  let isInNotes = false;
  const readNotes = (): void => {
    const childNodes = contentOfNotes(notes);
    notes = [];
    body.enterNotes(areHidden);
    areHidden = false;
    isInNotes = true;
    walkTree({ ...tree.document, childNodes }, visitor);
    isInNotes = false;
    body.leaveNotes();
  };
  const visitor: Visitor = {
    enter(element) {
      const stand = standOf(element, repeats);
      if (stand === 'behind') {
        notes.push(element);
        areHidden ||= body.hidden.isOpen;
      }
      return stand === 'here' && enter(element, body);
    },
    leave(element) {
      leave(element, body);
      if (notes.length > 0 && !isInNotes && holdsNotes(element)) readNotes();
    },
    text: (value) => body.characters(value),
  };
  walkTree(tree.document, visitor);
  while (notes.length > 0) readNotes();
}

/**
 * Makes the tree of a page the flat tree of the DOM Standard: a shadow root replaces the children of its host, and its slots contain the
 * children that they show. Children without a slot come last, because browsers do not show them. Elements of a shadow tree that would
 * state something about the page lose their attributes, and JSON-LD loses its text.
 */
export function flattenShadowRoots({ document, shadowRoots }: Pick<Tree, 'document' | 'shadowRoots'>): void {
  if (shadowRoots.size === 0) return;
  const open: Place[] = [{ element: undefined, nodes: document.childNodes, next: 0, shadow: undefined }];
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.nodes[top.next++];
    if (node === undefined) {
      open.pop();
      if (!top.isRoot) continue;
      const { element, shadow, nodes } = top;
      const others = unslotted(element!, shadow!.slots);
      setChildren(element!, others.length > 0 ? [...nodes, defaultTreeAdapter.createTextNode(' '), ...others] : nodes);
      open.push({ element: undefined, nodes: others, next: 0, shadow: shadow!.around });
    } else if (defaultTreeAdapter.isElementNode(node)) {
      if (top.shadow && OF_PAGE.has(node.tagName)) node.attrs = [];
      if (top.shadow && node.tagName === 'script' && isJsonLd(attribute(node, 'type'))) node.childNodes = [];
      const place = within(node, top.shadow, shadowRoots);
      if (!place.isRoot && place.nodes !== node.childNodes) setChildren(node, place.nodes);
      open.push(place);
    }
  }
}

function setChildren(
  element: DefaultTreeAdapterTypes.Element,
  nodes: readonly DefaultTreeAdapterTypes.ChildNode[],
): void {
  element.childNodes = [...nodes];
  for (const node of nodes) node.parentNode = element;
}

/**
 * Adds an element to the body.
 * @returns whether to read the content of the element
 */
function enter(element: DefaultTreeAdapterTypes.Element, body: PageBody): boolean {
  if (!roleOf(element.tagName) && !MARKABLE.has(element.tagName)) return true;
  const seen = new TreeElement(element);
  const role = roleOfElement(seen);
  return !role || body.enter(role, seen);
}

function leave(element: DefaultTreeAdapterTypes.Element, body: PageBody): void {
  const { tagName } = element;
  const role = MARKABLE.has(tagName) ? roleOfElement(new TreeElement(element)) : roleOf(tagName);
  if (role) body.leave(role, tagName, isHtml(element));
}

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

/**
 * Returns the value of an attribute, by its name in lower case. If only a form with a prefix exists, such as `xlink:href` in SVG, its
 * value is returned.
 */
export function attribute(element: DefaultTreeAdapterTypes.Element, name: string): string | undefined {
  let prefixed: string | undefined;
  for (const attr of element.attrs) {
    if (attr.name !== name) continue;
    if (!attr.prefix) return attr.value;
    prefixed ??= attr.value;
  }
  return prefixed;
}

export function isCheckbox(element: DefaultTreeAdapterTypes.Element): boolean {
  return element.tagName === 'input' && attribute(element, 'type')?.toLowerCase() === 'checkbox';
}

/**
 * A parser for XHTML. It has the rules of HTML with one exception, which comes from XML: an element may close itself. So the page
 * continues after `<script/>` or `<title/>`. With all rules of XML, many pages would end at their first error.
 */
class XhtmlRules extends Parser<DefaultTreeAdapterMap> {
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (!token.selfClosing || token.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, attrs: [], selfClosing: false });
  }
}

/** Turns CDATA sections into plain text, because in HTML they would be comments. A section without an end stays unchanged. */
function withoutCdata(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('<![CDATA[', from);
    const close = open === -1 ? -1 : text.indexOf(']]>', open);
    if (close === -1) return parts.join('') + text.slice(from);
    const inside = text.slice(open + 9, close);
    parts.push(text.slice(from, open), inside.replace(/&/g, '&amp;').replace(/</g, '&lt;'));
    from = close + 3;
  }
}
