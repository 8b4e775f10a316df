import { linesOfCode, wordsOf, type MainPart } from './manuals.js';

/** Sums of correct parts over pages. */
export interface MarkdownScore {
  pages: number;
  /** Numbers of words in the Markdown, in the main parts, and in both. */
  found: number;
  wanted: number;
  right: number;
  /** Numbers of headings and code lines of the main parts, and of those that are headings and code in the Markdown too. */
  headings: number;
  headingsKept: number;
  code: number;
  codeKept: number;
}

/** The score before the first page. */
export function noScore(): MarkdownScore {
  return { pages: 0, found: 0, wanted: 0, right: 0, headings: 0, headingsKept: 0, code: 0, codeKept: 0 };
}

/** Adds a page. A repeated word counts as often as it is in both texts. */
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
  const blocks = [...markdown.matchAll(/^(?:[ >*]|\d+[.)])*(`{3,}|~{3,}).*\n([^]*?)^[ >]*\1 *$/gm)].map(
    ([, , code = '']) => code,
  );
  score.code += main.code.length;
  score.codeKept += inCommon(main.code, blocks.flatMap(linesOfCode));
}

/** Removes the addresses of links and images, and the languages of code. */
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
