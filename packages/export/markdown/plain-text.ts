import type { Block, Inline } from './blocks.js';

/** Returns text without Markdown. Blocks, items and table rows are on separate lines, and cells are separated by tabs. */
export function plainText(blocks: readonly Block[]): string {
  return blocks
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n');
}

function textOf(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return lineText(block.children);
    case 'list':
      return block.children.map(({ children }) => plainText(children)).join('\n');
    case 'blockquote':
      return plainText(block.children);
    case 'code':
    case 'math':
      return block.value;
    case 'table':
      return block.children
        .map(({ children }) =>
          children
            .map((cell) => lineText(cell.children).replaceAll('\n', ' '))
            .join('\t')
            .trim(),
        )
        .join('\n');
    case 'thematicBreak':
      return '';
  }
}

/** The text of a line: break nodes become line breaks, and `10` with a raised 9 becomes `10^9`. */
export function lineText(nodes: readonly Inline[]): string {
  const text: string[] = [];
  for (const node of nodes) {
    if (node.type === 'break') text.push('\n');
    else if (node.type === 'image') text.push(node.alt);
    else if ('value' in node) text.push(node.value);
    else if (node.type === 'sup' && /[\p{L}\p{N}]$/u.test(text.at(-1) ?? '')) text.push('^', lineText(node.children));
    else text.push(lineText(node.children));
  }
  return text.join('');
}
