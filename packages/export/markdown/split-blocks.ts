import type { Block } from './blocks.js';
import { countWords } from './count-words.js';
import { packed } from './cut-blocks.js';
import { lineText, plainText } from './plain-text.js';
import type { WriteMarkdown } from './write-markdown.js';

interface MarkdownChunk {
  /** The headings above the chunk, the outermost first, as plain text. */
  readonly headings: readonly string[];
  /** Markdown, without the headings. */
  readonly text: string;
}

/**
 * Splits blocks at their headings. A section of more than `maxWords` words is split between its blocks. A block that is too long is split
 * too: a list between items, a table between rows, code between lines. Pieces that are still too long are split between words. Each piece
 * of a table repeats the table head. In scripts without spaces, each character counts as a word.
 */
export function splitBlocks(blocks: readonly Block[], maxWords: number, write: WriteMarkdown): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  const path: string[] = [];
  let section: Block[] = [];
  const end = (): void => {
    const headings = path.filter((heading) => heading !== '');
    for (const text of textsOf(section, maxWords, write)) chunks.push({ headings, text });
    section = [];
  };
  for (const block of blocks) {
    if (block.type !== 'heading') {
      section.push(block);
      continue;
    }
    end();
    path.length = Math.min(path.length, block.depth - 1);
    // Fill skipped heading levels with empty texts.
    while (path.length < block.depth - 1) path.push('');
    path.push(lineText(block.children).replaceAll('\n', ' ').trim());
  }
  end();
  return chunks;
}

function textsOf(section: readonly Block[], maxWords: number, write: WriteMarkdown): string[] {
  const whole = write(section);
  if (whole === '') return [];
  if (countWords(whole) <= maxWords) return [whole];
  return packed(section, maxWords)
    .map((blocks) => {
      const text = write(blocks);
      // The text may be longer than `packed` expects: after a cut inside a mark, a character beside the cut may become a character reference.
      if (countWords(text) <= maxWords) return text;
      return write([
        { type: 'paragraph', children: [{ type: 'text', value: plainText(blocks).replace(/\s+/g, ' ') }] },
      ]);
    })
    .filter((text) => text !== '');
}
