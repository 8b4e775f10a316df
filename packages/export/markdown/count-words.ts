import type { Block, Inline, Row } from './blocks.js';

/** A word, or a character in scripts without spaces. */
export const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}][\p{L}\p{N}_]*/gu;

export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** Splits a text in two. The first part has at most this number of words. The space between the parts is removed. */
export function cutText(text: string, maxWords: number): readonly [string, string] {
  let words = 0;
  for (const { index } of text.matchAll(WORD)) {
    if (words === maxWords) return [text.slice(0, index).trimEnd(), text.slice(index)];
    words += 1;
  }
  return [text, ''];
}

/** Number of words of a block in Markdown, including addresses and item numbers. */
export function blockWords(block: Block): number {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return sumOf(block.children, inlineWords);
    case 'list':
      return sumOf(block.children, ({ children }) => (block.ordered ? 1 : 0) + sumOf(children, blockWords));
    case 'blockquote':
      return sumOf(block.children, blockWords);
    case 'table':
      return sumOf(block.children, rowWords);
    case 'code':
      return countWords(block.lang ?? '') + countWords(block.value);
    case 'math':
      return countWords(block.value);
    case 'thematicBreak':
      return 0;
  }
}

/** Number of words of a table row. A line break in a cell counts as one word. */
export function rowWords({ children }: Row): number {
  return sumOf(children, (cell) => sumOf(cell.children, (node) => (node.type === 'break' ? 1 : inlineWords(node))));
}

export function inlineWords(node: Inline): number {
  if (node.type === 'break') return 0;
  if (node.type === 'image') return countWords(node.alt) + countWords(node.url);
  if (!('children' in node)) return countWords(node.value);
  // In Markdown, raised or lowered text has an opening and a closing tag, which count as words.
  const own = node.type === 'sup' || node.type === 'sub' ? 2 : countWords(node.url ?? '');
  return own + sumOf(node.children, inlineWords);
}

function sumOf<T>(parts: readonly T[], wordsOf: (part: T) => number): number {
  let sum = 0;
  for (const part of parts) sum += wordsOf(part);
  return sum;
}
