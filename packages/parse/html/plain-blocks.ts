import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { first, isElement, walk } from './elements.js';
import { attribute } from './html-tree.js';

const NAMESPACE = 'http://www.w3.org/1999/xhtml' as Tree.Element['namespaceURI'];
/** What a cell of a table or an item of a list cannot hold in Markdown, and what of it a reader would miss. */
const HEADING = /^h[1-6]$/;
const PARTS_OF_TABLE: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'colgroup', 'col']);
/** Numbers of lines, which are no part of the code. */
const LINE_NUMBER = /(^|\s)(lineno|linenos|line-?numbers?)(\s|$)/;

/**
 * Makes what Markdown cannot show into what it can: a table whose cells hold code, headings or tables, and a list whose items hold
 * code or headings, become what is in them, one after the other, items with their numbers; a list of terms becomes paragraphs;
 * a heading is one line.
 */
export function makePlain(element: Tree.Element): void {
  const { tagName } = element;
  if (tagName === 'table') {
    if (first(element, (inner) => isCode(inner) || inner.tagName === 'table' || HEADING.test(inner.tagName)))
      partsBecomeBlocks(element, (part) => PARTS_OF_TABLE.has(part) || part === 'caption');
  } else if (tagName === 'ul' || tagName === 'ol') {
    if (first(element, (inner) => isCode(inner) || HEADING.test(inner.tagName))) {
      if (tagName === 'ol') numberItems(element);
      partsBecomeBlocks(element, (part) => part === 'li');
    }
  } else if (tagName === 'dl' || tagName === 'dd') rename(element, 'div');
  else if (tagName === 'dt') rename(element, 'p');
  else if (HEADING.test(tagName)) joinLines(element);
}

/** Whether an element is a block of code: `pre`, or what Doxygen makes of one, with a `div` for each line. */
export function isCode(element: Tree.Element): boolean {
  if (element.tagName === 'pre') return true;
  return element.tagName === 'div' && attribute(element, 'class') === 'fragment' && element.childNodes.some(isLine);
}

/** Generators colour code by elements; what it is written in stands in a class, if anywhere. */
export function makeCode(block: Tree.Element): void {
  const code = first(block, ({ tagName }) => tagName === 'code');
  const classes = [block, code].flatMap((element) => (element && attribute(element, 'class')?.split(/\s+/)) || []);
  const language = classes.find((name) => /^(language|lang)-/.test(name));
  const made: Tree.Element = {
    nodeName: 'code',
    tagName: 'code',
    namespaceURI: NAMESPACE,
    attrs: language === undefined ? [] : [{ name: 'class', value: language }],
    childNodes: [],
    parentNode: block,
  };
  made.childNodes.push({ nodeName: '#text', value: codeOf(block), parentNode: made });
  rename(block, 'pre');
  block.childNodes = [made];
}

function codeOf(block: Tree.Element): string {
  const lines = block.tagName === 'pre' ? [block] : block.childNodes.filter(isLine);
  return lines.map(lineOf).join('\n');
}

function lineOf(line: Tree.Element): string {
  const text: string[] = [];
  const stack: Tree.Node[] = [line];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeName === '#text') text.push((node as Tree.TextNode).value);
    else if (node.nodeName === 'br') text.push('\n');
    else if (isElement(node) && !LINE_NUMBER.test(attribute(node, 'class') ?? ''))
      stack.push(...node.childNodes.slice().reverse());
  }
  return text.join('');
}

function isLine(node: Tree.Node): node is Tree.Element {
  return isElement(node) && attribute(node, 'class') === 'line';
}

function joinLines(heading: Tree.Element): void {
  walk(heading, (element) => {
    if (element.tagName !== 'br') return true;
    rename(element, 'span');
    element.childNodes = [{ nodeName: '#text', value: ' ', parentNode: element }];
    return false;
  });
}

function numberItems(list: Tree.Element): void {
  const start = Number.parseInt(attribute(list, 'start') ?? '', 10);
  let number = Number.isNaN(start) ? 1 : start;
  for (const item of list.childNodes) {
    if (!isElement(item) || item.tagName !== 'li') continue;
    item.childNodes.unshift({ nodeName: '#text', value: `${number}. `, parentNode: item });
    number += 1;
  }
}

/** An element and its parts become blocks of no meaning; what is deeper stays. */
function partsBecomeBlocks(element: Tree.Element, isPart: (tagName: string) => boolean): void {
  rename(element, 'div');
  const stack = element.childNodes.filter(isElement).filter(({ tagName }) => isPart(tagName));
  for (let part = stack.pop(); part; part = stack.pop()) {
    rename(part, 'div');
    for (const child of part.childNodes) if (isElement(child) && isPart(child.tagName)) stack.push(child);
  }
}

function rename(element: Tree.Element, tagName: 'div' | 'p' | 'pre' | 'span'): void {
  element.tagName = tagName;
  element.nodeName = tagName;
}
