import { isElement } from '../../core/index.js';
import type { Element } from './head.js';

const INVISIBLE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const MOST_NODES = 1000;
const CHARACTERS_PER_NODE = 100;

/** Returns the beginning of the text within an element. Each run of white space becomes one space. Elements are separated by a space. */
export function textWithin(element: Element, most: number): string {
  const parts: string[] = [];
  let length = 0;
  let left = MOST_NODES;
  const stack: (typeof element.childNodes)[number][] = [element];
  for (let node = stack.pop(); node && left > 0 && length < most; node = stack.pop()) {
    left--;
    if (node.nodeName === '#text' && 'value' in node) {
      const value = node.value.slice(0, most * 4);
      left -= Math.floor(value.length / CHARACTERS_PER_NODE);
      const text = value.replace(/\s+/g, ' ');
      parts.push(text);
      length += text.trim().length;
    } else if (isElement(node) && !INVISIBLE_ELEMENTS.has(node.tagName)) {
      for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
      parts.push(' ');
    }
  }
  return parts.join('').replace(/\s+/g, ' ').trim().slice(0, most);
}
