import type { Block, Code, Inline, Item, List, Marked, Table } from './blocks.js';
import { blockWords, countWords, cutText, inlineWords, rowWords } from './count-words.js';
import { isBlank } from './inline-run.js';
import { tidyMarks } from './tidy-marks.js';

/** Splits blocks that are too long. Then puts neighbouring blocks into groups of at most `maxWords` words. */
export function packed(blocks: readonly Block[], maxWords: number): Block[][] {
  const parts = blocks.flatMap((block) => (blockWords(block) > maxWords ? cut(block, maxWords) : [block]));
  return grouped(parts, maxWords, blockWords);
}

function cut(block: Block, most: number): Block[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return cutParagraph(block.children, most).map((children) => ({ type: 'paragraph', children }));
    case 'list':
      return cutList(block, most);
    case 'blockquote':
      return packed(block.children, most).map((children) => ({ type: 'blockquote', children }));
    case 'table':
      return cutTable(block, most);
    case 'code':
      return cutCode(block, most);
    case 'math':
      return cutCode({ type: 'code', lang: null, value: block.value }, most);
    case 'thematicBreak':
      return [block];
  }
}

function cutList(list: List, most: number): Block[] {
  const one = (item: Item, i: number): List => ({
    ...list,
    start: list.ordered ? (list.start ?? 1) + i : null,
    children: [item],
  });
  const parts = list.children.flatMap((item, i): { readonly of?: List; readonly block: Block }[] => {
    const single = one(item, i);
    if (blockWords(single) <= most) return [{ of: single, block: single }];
    // One word is left for the number of the item.
    const [head = [], ...others] = packed(item.children, Math.max(1, most - (list.ordered ? 1 : 0)));
    const first = one({ ...item, children: head }, i);
    const isItem = blockWords(first) <= most;
    return [...(isItem ? [first] : head), ...others.flat()].map((block) => ({ block }));
  });
  const pieces: Block[] = [];
  for (const group of grouped(parts, most, ({ block }) => blockWords(block))) {
    for (const { of, block } of group) {
      const before = pieces.at(-1);
      const isFirst = group[0]!.block === block;
      if (!isFirst && of && before?.type === 'list') before.children.push(...of.children);
      else pieces.push(of ? { ...of, children: [...of.children] } : block);
    }
  }
  return pieces;
}

/** Splits a table. Each piece repeats the table head, unless the head would be most of the piece. */
function cutTable(table: Table, most: number): Block[] {
  const [head, ...rows] = table.children;
  const headWords = rowWords(head!);
  const left = most - headWords;
  if (headWords <= most / 2 && rows.every((row) => rowWords(row) <= left)) {
    return grouped(rows, left, rowWords).map((children) => ({ ...table, children: [head!, ...children] }));
  }
  const cells = table.children.flatMap((row) => row.children).filter(({ children }) => children.length > 0);
  return packed(
    cells.map(({ children }): Block => ({ type: 'paragraph', children })),
    most,
  ).flat();
}

function cutCode(code: Code, most: number): Block[] {
  const languageWords = countWords(code.lang ?? '');
  const lang = languageWords < most ? code.lang : null;
  const left = lang === null ? most : most - languageWords;
  const lines = code.value.split('\n').flatMap((line) => cutLine(line, left));
  return grouped(lines, left, countWords).map((group) => ({ ...code, lang, value: group.join('\n') }));
}

function cutParagraph(nodes: readonly Inline[], most: number): Inline[][] {
  const lines: Inline[][] = [[]];
  let left = most;
  const add = (node: Inline): void => {
    const words = inlineWords(node);
    if (words <= left) {
      lines.at(-1)!.push(node);
      left -= words;
      return;
    }
    if (node.type === 'text' || node.type === 'inlineCode') {
      const [head, rest] = cutText(node.value, left);
      lines.at(-1)!.push({ ...node, value: head });
      for (const value of rest === '' ? [] : cutLine(rest, most)) {
        lines.push([{ ...node, value }]);
        left = most - countWords(value);
      }
      return;
    }
    lines.push([]);
    left = most;
    cutInline(node, most).forEach(add);
  };
  nodes.forEach(add);
  return lines.map((line) => tidyMarks(trimmed(line))).filter((line) => line.length > 0);
}

function cutInline(node: Inline, most: number): Inline[] {
  if (inlineWords(node) <= most) return [node];
  if (node.type === 'image') return [{ type: 'text', value: node.alt }];
  if (node.type === 'inlineMath') return [{ type: 'inlineCode', value: node.value }];
  if (!('children' in node)) return [node];
  const own = inlineWords({ ...node, children: [] });
  // A long address would be most of each piece, so only the text is kept.
  if (own > most / 2) return node.children;
  return cutParagraph(node.children, most - own).map((children): Marked => ({ ...node, children }));
}

function cutLine(line: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  for (;;) {
    const [head, more] = cutText(rest, most);
    pieces.push(head);
    if (more === '') return pieces;
    rest = more;
  }
}

function grouped<T>(parts: readonly T[], most: number, wordsOf: (part: T) => number): T[][] {
  const groups: T[][] = [];
  let words = 0;
  for (const part of parts) {
    const count = wordsOf(part);
    if (groups.length > 0 && words + count <= most) {
      groups.at(-1)!.push(part);
      words += count;
    } else {
      groups.push([part]);
      words = count;
    }
  }
  return groups;
}

function trimmed(line: readonly Inline[]): Inline[] {
  const start = line.findIndex((node) => !isBlank(node));
  if (start === -1) return [];
  const nodes = line.slice(start, line.findLastIndex((node) => !isBlank(node)) + 1);
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (first?.type === 'text') nodes[0] = { ...first, value: first.value.trimStart() };
  const end = nodes.at(-1);
  if (last?.type === 'text' && end?.type === 'text') nodes[nodes.length - 1] = { ...end, value: end.value.trimEnd() };
  return nodes;
}
