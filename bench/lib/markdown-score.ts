import { linesOfCode, wordsOf, type MainPart } from './manuals.js';

/** How much of some pages is right; sums over them. */
export interface MarkdownScore {
  pages: number;
  /** Words that the Markdown has, those that the main parts have, and those that both have. */
  found: number;
  wanted: number;
  right: number;
  /** Headings and lines of code of the main parts, and those that are headings and code in the Markdown too. */
  headings: number;
  headingsKept: number;
  code: number;
  codeKept: number;
}

/** A score of no pages. */
export function noScore(): MarkdownScore {
  return { pages: 0, found: 0, wanted: 0, right: 0, headings: 0, headingsKept: 0, code: 0, codeKept: 0 };
}

/** Adds a page. Where it says something more than once, it counts as often as in both. */
export function addPage(score: MarkdownScore, markdown: string, main: MainPart): void {
  const found = wordsOf(plainOf(markdown));
  score.pages += 1;
  score.found += found.length;
  score.wanted += main.words.length;
  score.right += inCommon(main.words, found);
  const headings = [...markdown.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    wordsOf(plainOf(heading)).join(' '),
  );
  score.headings += main.headings.length;
  score.headingsKept += inCommon(main.headings, headings);
  const blocks = [...markdown.matchAll(/^ *(`{3,}|~{3,}).*\n([^]*?)^ *\1 *$/gm)].map(([, , code = '']) => code);
  score.code += main.code.length;
  score.codeKept += inCommon(main.code, blocks.flatMap(linesOfCode));
}

/** Without the addresses of links and images, and the languages of code. */
function plainOf(markdown: string): string {
  return markdown.replace(/\]\((?:\\.|[^()\\]|\([^()]*\))*\)/g, ']').replace(/^( *(?:`{3,}|~{3,})).*$/gm, '$1');
}

function inCommon(wanted: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>();
  for (const each of wanted) left.set(each, (left.get(each) ?? 0) + 1);
  let common = 0;
  for (const each of found) {
    const count = left.get(each) ?? 0;
    if (count > 0) common += 1;
    left.set(each, count - 1);
  }
  return common;
}
