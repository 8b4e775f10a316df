import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, isElement, walkTree, type HtmlDocument, type JsonValue, type Resolve } from '../../core/index.js';
import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';

/** An item of microdata, in the JSON form of the HTML Standard. */
export interface MicrodataItem {
  readonly type?: readonly string[];
  readonly id?: string;
  readonly properties: Readonly<Record<string, readonly JsonValue[]>>;
}

const MAX_ITEM_DEPTH = 40;
/** A step is a visit of a node, or a character of an attribute. */
const MAX_STEPS = 1_000_000;
const MAX_VALUE_CHARACTERS = 10_000;
const MAX_CHARACTERS_PER_PAGE = 1_000_000;

/** For elements whose value is a URL: the attribute that has the URL, by element name. */
const URL_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ...['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video'].map((tag): [string, string] => [tag, 'src']),
  ...['a', 'area', 'link'].map((tag): [string, string] => [tag, 'href']),
  ['object', 'data'],
]);

const read = new WeakMap<HtmlDocument, MicrodataItem[]>();

/**
 * The top-level microdata items of a page, by the algorithm of the HTML Standard (5.4.2). An item that contains itself is replaced by the
 * text `ERROR`, as the standard says. An item that is nested more than 40 deep is replaced too. If a page exceeds the limits on steps and
 * characters, its remaining items are left out. Undefined: the page has no item.
 */
export function microdataItems(view: PageView): MicrodataItem[] | undefined {
  const document = view.document();
  if (!document) return undefined;
  let items = read.get(document);
  if (!items) read.set(document, (items = new ItemReader(document, statedBy(view)!.resolve).items()));
  return items.length === 0 ? undefined : items;
}

/** The items that describe the page: the outermost ones, and their `mainEntity`. */
export function mainItems(view: PageView): MicrodataItem[] {
  const found: MicrodataItem[] = [];
  const waiting: MicrodataItem[] = [...(microdataItems(view) ?? [])].reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    found.push(next);
    for (const value of next.properties['mainEntity'] ?? []) {
      if (typeof value === 'object' && value !== null) waiting.push(value as unknown as MicrodataItem);
    }
  }
  return found;
}

class ItemReader {
  readonly #resolve: Resolve;
  readonly #roots: Tree.Element[] = [];
  readonly #ids = new Map<string, Tree.Element>();
  readonly #places = new Map<Tree.Element, number>();
  #steps = MAX_STEPS;
  #characters = MAX_CHARACTERS_PER_PAGE;

  constructor(document: HtmlDocument, resolve: Resolve) {
    this.#resolve = resolve;
    walkTree(document, {
      enter: (element) => {
        this.#places.set(element, this.#places.size);
        const id = attribute(element, 'id');
        if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, element);
        if (isItem(element) && attribute(element, 'itemprop') === undefined) this.#roots.push(element);
        return true;
      },
    });
  }

  items(): MicrodataItem[] {
    const items: MicrodataItem[] = [];
    for (const root of this.#roots) {
      if (this.#steps <= 0) break;
      items.push(this.#item(root, []));
    }
    return items;
  }

  #item(root: Tree.Element, around: readonly Tree.Element[]): MicrodataItem {
    const type = this.#words(root, 'itemtype');
    const id = attribute(root, 'itemid');
    const properties = new Map<string, JsonValue[]>();
    for (const element of this.#properties(root)) {
      for (const name of new Set(words(attribute(element, 'itemprop')))) {
        // A property of this name would become the prototype of an object into which the item is copied.
        if (name === '__proto__') continue;
        if (this.#steps <= 0) break;
        // If an element has several names, each name gets a separate value, because JSON cannot share values.
        const value = this.#value(element, [...around, root]);
        const values = properties.get(name);
        if (values) values.push(value);
        else properties.set(name, [value]);
      }
    }
    return {
      ...(type.length > 0 && { type }),
      ...(id !== undefined && { id: this.#url(id) }),
      properties: Object.fromEntries(properties),
    };
  }

  #properties(root: Tree.Element): Tree.Element[] {
    const found: Tree.Element[] = [];
    const seen = new Set([root]);
    const waiting: Tree.Element[] = root.childNodes.filter(isElement);
    for (const id of new Set(this.#words(root, 'itemref'))) {
      const element = this.#ids.get(id);
      if (element) waiting.push(element);
    }
    for (let next = waiting.pop(); next && this.#steps > 0; next = waiting.pop()) {
      this.#steps--;
      if (seen.has(next)) continue;
      seen.add(next);
      if (!isItem(next)) for (const child of next.childNodes) if (isElement(child)) waiting.push(child);
      if (this.#words(next, 'itemprop').length > 0) found.push(next);
    }
    return found.sort((a, b) => this.#places.get(a)! - this.#places.get(b)!);
  }

  #value(element: Tree.Element, around: readonly Tree.Element[]): JsonValue {
    if (isItem(element)) {
      if (around.includes(element) || around.length >= MAX_ITEM_DEPTH) return 'ERROR';
      return this.#item(element, around) as unknown as JsonValue;
    }
    const { tagName } = element;
    if (tagName === 'meta') return this.#bounded(attribute(element, 'content') ?? '');
    const urlAttribute = URL_ATTRIBUTES.get(tagName);
    if (urlAttribute !== undefined) return this.#bounded(this.#url(attribute(element, urlAttribute)));
    if (tagName === 'data' || tagName === 'meter') return this.#bounded(attribute(element, 'value') ?? '');
    const datetime = tagName === 'time' ? attribute(element, 'datetime') : undefined;
    return datetime === undefined ? this.#text(element) : this.#bounded(datetime);
  }

  /** Returns the words of an attribute. This costs steps too, because an item is read again for each item that refers to it. */
  #words(element: Tree.Element, name: string): string[] {
    const value = attribute(element, name);
    this.#steps -= value?.length ?? 0;
    return words(value);
  }

  #url(reference: string | undefined): string {
    this.#steps -= reference?.length ?? 0;
    return reference === undefined ? '' : (this.#resolve(reference) ?? '');
  }

  #bounded(value: string): string {
    const cut = value.slice(0, Math.min(MAX_VALUE_CHARACTERS, Math.max(0, this.#characters)));
    this.#characters -= cut.length;
    return cut;
  }

  /** The text within an element, unchanged. */
  #text(element: Tree.Element): string {
    const parts: string[] = [];
    let length = 0;
    walkTree(element, {
      enter: () => --this.#steps > 0 || 'end',
      text: (value) => {
        parts.push(value);
        length += value.length;
        return --this.#steps > 0 && length < MAX_VALUE_CHARACTERS ? undefined : 'end';
      },
    });
    return this.#bounded(parts.join(''));
  }
}

function isItem(element: Tree.Element): boolean {
  return attribute(element, 'itemscope') !== undefined;
}

function words(value = ''): string[] {
  return value.split(/[\t\n\f\r ]+/).filter((word) => word !== '');
}
