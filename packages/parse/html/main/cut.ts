import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { resolveLink } from '../../../url/index.js';
import { isElement } from '../elements.js';
import { attribute, isCheckbox } from '../html-tree.js';
import { isCode } from '../code-elements.js';
import { isPermalink } from '../permalink.js';
import type { Block } from './block-text.js';
import { isWithoutText } from './outline.js';

const SPACES = /[\t\n\f\r ]+/g;
/** Elements that stay even if they are empty. */
const EMPTY: ReadonlySet<string> = new Set(['br', 'hr', 'td', 'th', 'wbr']);

/**
 * Removes the blocks that are not kept from a body, then removes elements that have become empty. Makes URLs absolute.
 * @param empty elements to remove with all of their content. An element stays if it has text of a kept block
 */
export function cutBody(
  body: Tree.Element,
  blocks: readonly Block[],
  kept: readonly boolean[],
  empty: ReadonlySet<Tree.Element>,
  base: string,
): void {
  new Cut(blocks, kept, empty, base).prune(body);
}

class Cut {
  readonly #base: string;
  readonly #kept: readonly boolean[];
  readonly #empty: ReadonlySet<Tree.Element>;
  readonly #firstKept: number;
  readonly #lastKept: number;
  readonly #blockOf = new Map<Tree.Node, number>();
  /** The beginnings of the blocks that are not kept. */
  readonly #dropped = new Set<string>();
  /** The index of the last block before the present position of `prune`. */
  #passed = -1;

  constructor(blocks: readonly Block[], kept: readonly boolean[], empty: ReadonlySet<Tree.Element>, base: string) {
    this.#base = base;
    this.#empty = empty;
    this.#kept = kept;
    this.#firstKept = kept.indexOf(true);
    this.#lastKept = kept.lastIndexOf(true);
    for (const { index, nodes, start } of blocks) {
      for (const node of nodes) this.#blockOf.set(node, index);
      if (!kept[index]) this.#dropped.add(beginning(start));
    }
  }

  /**
   * Cuts the content of an element.
   * @returns whether the element still has visible content
   */
  prune(element: Tree.Element): boolean {
    let isSeen = false;
    element.childNodes = element.childNodes.filter((child) => {
      const stays = isElement(child) ? this.#staysElement(child) : this.#staysText(child);
      isSeen ||= stays === true;
      return stays !== false;
    });
    return isSeen;
  }

  /**
   * Moves `#passed` to the block of a text.
   * @returns whether the node stays; undefined if it stays but is not visible
   */
  #staysText(node: Tree.ChildNode): boolean | undefined {
    if (node.nodeName !== '#text') return false;
    const block = this.#blockOf.get(node);
    if (block === undefined) return undefined;
    this.#passed = block;
    return this.#kept[block];
  }

  #staysElement(element: Tree.Element): boolean | undefined {
    const { tagName } = element;
    if (isCheckbox(element)) return undefined;
    if (isWithoutText(tagName)) return false;
    // A kept block may have some of its words in such an element. Then the element stays.
    if (this.#empty.has(element) && !this.#hasKept(element)) return false;
    if ((tagName === 'a' && isSelfLink(element)) || isHeadingTool(element)) return false;
    if (tagName === 'img') {
      this.#cleanAttributes(element);
      return this.#staysPicture(element);
    }
    const stays = this.#staysInside(element);
    if (stays !== false) this.#cleanAttributes(element);
    return stays;
  }

  #staysInside(element: Tree.Element): boolean | undefined {
    const { tagName } = element;
    // The pictures of a `noscript` are also elsewhere in the page, for browsers with scripts. So pictures alone are no reason to keep it.
    if ((tagName === 'noscript' || isCode(element)) && !this.#hasKept(element)) return false;
    if (isCode(element)) return true;
    if (tagName === 'noscript') element.tagName = element.nodeName = 'div';
    if (this.prune(element)) return true;
    return EMPTY.has(tagName) ? undefined : false;
  }

  #cleanAttributes(element: Tree.Element): void {
    element.attrs = element.attrs.flatMap((attr) => {
      // Tooltips are not content. An `alt` with the text of a dropped block is removed too.
      if (attr.name === 'title' || (attr.name === 'alt' && this.#dropped.has(beginning(attr.value)))) return [];
      if (attr.name !== 'href' && attr.name !== 'src') return [attr];
      const value = absoluteUrl(attr.value, this.#base);
      return value === undefined ? [] : [{ ...attr, value }];
    });
  }

  /** Whether a picture stays. It stays if a kept block is near, even if a caption is between them. */
  #staysPicture(picture: Tree.Element): boolean {
    if (!attribute(picture, 'src')) return false;
    const at = this.#passed;
    if (at < this.#firstKept - 1 || at > this.#lastKept) return false;
    return [at - 1, at, at + 1, at + 2].some((near) => this.#kept[near]);
  }

  /** Whether an element has text of a kept block. Moves `#passed` to the last block in the element. */
  #hasKept(element: Tree.Element): boolean {
    let has = false;
    const stack: Tree.Node[] = [element];
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (isElement(node)) for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
      const block = this.#blockOf.get(node);
      if (block === undefined) continue;
      has ||= this.#kept[block]!;
      this.#passed = block;
    }
    return has;
  }
}

/** The absolute URL of a link, with its fragment. */
function absoluteUrl(href: string, base: string): string | undefined {
  const url = resolveLink(href, base);
  if (url === null) return undefined;
  const at = href.indexOf('#');
  return at === -1 ? url : new URL(href.slice(at), url).href;
}

function beginning(text: string): string {
  return text.slice(0, 100).replace(SPACES, ' ').trim().slice(0, 24);
}

/** Whether an element is a link in brackets behind the text of a heading, such as the link of MediaWiki to edit the section. */
function isHeadingTool({ tagName, childNodes, parentNode }: Tree.Element): boolean {
  if (tagName !== 'span' || !/^h[1-6]$/.test(parentNode?.nodeName ?? '')) return false;
  const { length } = childNodes;
  const isSign = (at: number, sign: string): boolean =>
    childNodes[at] !== undefined && textIn(childNodes[at]).trim() === sign;
  return length === 3 && isSign(0, '[') && childNodes[1]!.nodeName === 'a' && isSign(2, ']');
}

function textIn(node: Tree.Node): string {
  if (node.nodeName === '#text') return (node as Tree.TextNode).value;
  const [child] = isElement(node) ? node.childNodes : [];
  return child?.nodeName === '#text' ? (child as Tree.TextNode).value : '';
}

function isSelfLink({ attrs, childNodes }: Tree.Element): boolean {
  const [child] = childNodes;
  if (childNodes.length !== 1 || child!.nodeName !== '#text') return false;
  return isPermalink(attrs.find(({ name }) => name === 'href')?.value, (child as Tree.TextNode).value);
}
