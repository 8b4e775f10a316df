/** A piece of a text in Markdown. */
export interface MarkdownChunk {
  /** The headings under which it stands, the outermost first, as plain text. */
  readonly headings: readonly string[];
  /** Markdown, without the headings. */
  readonly text: string;
}

/** A line that begins or ends a block of code: its fence, and whether it is inside one from then on. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
/** A word, or a character of a script without spaces. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}_]+/gu;

/**
 * Splits Markdown by its headings, and what is longer than `maxWords` between blocks; a block that is longer by itself between lines, and
 * a line between words. A piece of a block of code has fences of its own. Characters of scripts without spaces count as words.
 */
export function splitMarkdown(markdown: string, maxWords: number): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  const path: string[] = [];
  for (const { level, title, lines } of sectionsOf(markdown)) {
    if (level > 0) {
      path.length = Math.min(path.length, level - 1);
      // Where a level is passed over, the path has a hole.
      while (path.length < level - 1) path.push('');
      path.push(title);
    }
    const headings = path.filter((heading) => heading !== '');
    for (const text of packed(blocksOf(lines), maxWords)) chunks.push({ headings, text });
  }
  return chunks;
}

/** How many words a text has. */
export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

interface Section {
  /** 0 for what stands before the first heading. */
  readonly level: number;
  readonly title: string;
  readonly lines: string[];
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [{ level: 0, title: '', lines: [] }];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    fence = fenceAfter(fence, line);
    const heading = fence === undefined ? HEADING.exec(line) : undefined;
    if (heading) sections.push({ level: heading[1]!.length, title: plainText(heading[2]!), lines: [] });
    else sections.at(-1)!.lines.push(line);
  }
  return sections;
}

/** The fence of the block of code that a line is in or begins; undefined outside of one, and after its end. */
function fenceAfter(fence: string | undefined, line: string): string | undefined {
  const found = FENCE.exec(line)?.[1];
  if (fence === undefined) return found;
  return found?.startsWith(fence) === true && line.trim() === found ? undefined : fence;
}

/** A heading without the marks of links, code and emphasis. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\\([^\w\s])|[`*]/g, '$1')
    .trim();
}

/** Paragraphs, lists, tables and blocks of code, which blank lines part. */
function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  const end = (): void => {
    if (block.length > 0) blocks.push(block.join('\n'));
    block = [];
  };
  for (const line of lines) {
    fence = fenceAfter(fence, line);
    if (fence === undefined && line.trim() === '') end();
    else block.push(line);
  }
  end();
  return blocks;
}

/** Puts blocks together while they are not too long. */
function packed(blocks: readonly string[], maxWords: number): string[] {
  return joined(
    blocks.flatMap((block) => (countWords(block) > maxWords ? cutBlock(block, maxWords) : [block])),
    maxWords,
    '\n\n',
  );
}

function joined(parts: readonly string[], maxWords: number, between: string): string[] {
  const texts: string[] = [];
  let together: string[] = [];
  let words = 0;
  for (const part of parts) {
    const count = countWords(part);
    if (together.length > 0 && words + count > maxWords) {
      texts.push(together.join(between));
      together = [];
      words = 0;
    }
    together.push(part);
    words += count;
  }
  if (together.length > 0) texts.push(together.join(between));
  return texts;
}

function cutBlock(block: string, maxWords: number): string[] {
  const lines = block.split('\n');
  const fence = FENCE.exec(lines[0]!)?.[1];
  const isClosed = fence !== undefined && lines.length > 1 && FENCE.test(lines.at(-1)!);
  const inner = fence === undefined ? lines : lines.slice(1, isClosed ? -1 : undefined);
  const pieces = joined(
    inner.flatMap((line) => cutLine(line, maxWords)),
    maxWords,
    '\n',
  );
  return fence === undefined ? pieces : pieces.map((piece) => `${lines[0]}\n${piece}\n${fence}`);
}

function cutLine(line: string, maxWords: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  let words = 0;
  for (const { index } of line.matchAll(WORD)) {
    if (words === maxWords) {
      pieces.push(line.slice(from, index).trimEnd());
      from = index;
      words = 0;
    }
    words += 1;
  }
  return [...pieces, line.slice(from)];
}
