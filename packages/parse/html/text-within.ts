import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { first, walkTree } from './elements.js';
import { attribute } from './html-tree.js';
import { isInlineTag } from './main/outline.js';
import { isPermalink, MAX_PERMALINK_BYTES } from './permalink.js';

const INVISIBLE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const MAX_NODES = 1000;
const CHARACTERS_PER_NODE = 100;

/**
 * Returns the beginning of the text within an element. Each run of white space becomes one space. A space comes before each inner element.
 */
export function textWithin(element: Tree.Element, max: number): string {
  return beginningOf(element, max, false);
}

/**
 * Returns the beginning of the text of the first `h1` that has text. Only block-level elements separate words, and permalinks are left
 * out. Empty: the page has no such heading.
 */
export function firstHeading(document: Tree.Document, max: number): string {
  let text = '';
  first(document, (element) => {
    if (element.tagName === 'h1') text = beginningOf(element, max, true);
    return text !== '';
  });
  return text;
}

function beginningOf(element: Tree.Element, max: number, isHeading: boolean): string {
  const parts: string[] = [];
  let length = 0;
  let left = MAX_NODES;
  walkTree(element, {
    enter(inner) {
      if (--left <= 0) return 'end';
      if (INVISIBLE_ELEMENTS.has(inner.tagName) || (isHeading && isSign(inner))) return false;
      if (!isHeading || !isInlineTag(inner.tagName)) parts.push(' ');
      return true;
    },
    leave(inner) {
      if (isHeading && !isInlineTag(inner.tagName)) parts.push(' ');
    },
    text(value) {
      const start = value.slice(0, max * 4);
      left -= 1 + Math.floor(start.length / CHARACTERS_PER_NODE);
      const text = start.replace(/\s+/g, ' ');
      parts.push(text);
      length += text.trim().length;
      return left > 0 && length < max ? undefined : 'end';
    },
  });
  return parts.join('').replace(/\s+/g, ' ').trim().slice(0, max);
}

function isSign(element: Tree.Element): boolean {
  if (element.tagName !== 'a') return false;
  return isPermalink(attribute(element, 'href'), textWithin(element, MAX_PERMALINK_BYTES + 1));
}
