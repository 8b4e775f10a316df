import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isElement } from './elements.js';
import { attribute } from './html-tree.js';

/** Classes of elements with line numbers in Pygments, Chroma, Rouge, SyntaxHighlighter and GitHub. */
const LINE_NUMBER =
  /(^|\s)(lineno|linenos|linenodiv|line-?numbers?|lnt|hljs-ln-numbers|blob-num|rouge-gutter|line-numbers-rows|react-syntax-highlighter-line-number)(\s|$)/;
const GUTTER = /(^|\s)(gutter|ln)(\s|$)/;
const NUMBERS: ReadonlySet<string> = new Set(['a', 'div', 'span', 'td', 'th']);

/** Whether an element is a block of code: a `pre`, or the form of Doxygen, which has a `div` for each line. */
export function isCode(element: Tree.Element): boolean {
  if (element.tagName === 'pre') return true;
  return element.tagName === 'div' && attribute(element, 'class') === 'fragment' && element.childNodes.some(isLine);
}

/** Returns the nodes of a block of code, without the tooltips that Doxygen adds beside the lines. */
export function codeNodes(block: Tree.Element): readonly Tree.ChildNode[] {
  return block.tagName === 'pre' ? block.childNodes : block.childNodes.filter(isLine);
}

/** Whether an element contains line numbers, which are not part of the code. */
export function isLineNumbers(element: Tree.Element): boolean {
  const { tagName } = element;
  if (!NUMBERS.has(tagName)) return false;
  const classes = attribute(element, 'class')?.slice(0, 400);
  if (classes === undefined) return false;
  // Prism gives this class to the element around the code.
  if (LINE_NUMBER.test(classes)) return tagName !== 'div' || !/(^|\s)line-numbers(\s|$)/.test(classes);
  return (tagName === 'td' || tagName === 'span') && GUTTER.test(classes);
}

function isLine(node: Tree.Node): node is Tree.Element {
  return isElement(node) && attribute(node, 'class') === 'line';
}
