/** How much of the main content of pages an extractor finds, on two public sets. */
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';

export interface FragmentPage {
  readonly url: string;
  readonly html: Buffer;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

export interface ArticlePage {
  readonly url: string;
  readonly html: Buffer;
  readonly article: string;
}

const PICTURE = /!\[[^\]]*\]\([^)]*\)/g;

/** Of fragments: wanted ones that were found, wanted ones that were not, unwanted ones that were found. Of articles: sums, and their counts. */
export type MainContentScore = ReturnType<typeof noMainContentScore>;

export function noMainContentScore() {
  return { pages: 0, empty: 0, right: 0, missing: 0, wrong: 0, precision: 0, precisions: 0, recall: 0, recalls: 0 };
}

/** Adds a page with fragments. Both texts are compared without Markdown marks, and with single spaces. */
export function addFragments(score: MainContentScore, { wanted, unwanted }: FragmentPage, found: string): void {
  const text = plainOf(found);
  const has = (fragment: string): boolean => text.includes(plainOf(fragment));
  score.pages += 1;
  if (text.trim() === '') score.empty += 1;
  const right = wanted.filter(has).length;
  score.right += right;
  score.missing += wanted.length - right;
  score.wrong += unwanted.filter(has).length;
}

/**
 * Adds an article. Each four consecutive words are looked up in the other text. The articles of the set have no titles and no pictures, so
 * these do not count in the result of an extractor: a line that is an `h1` of the page, and a picture in Markdown.
 */
export function addArticle(score: MainContentScore, { article, html }: ArticlePage, found: string): void {
  const wanted = shinglesOf(plainOf(article));
  const has = shinglesOf(plainOf(withoutTitles(found.replace(PICTURE, ' '), titlesOf(html.toString()))));
  let right = 0;
  for (const [shingle, count] of wanted.counts) right += Math.min(count, has.counts.get(shingle) ?? 0);
  score.pages += 1;
  if (has.all === 0) score.empty += 1;
  else {
    score.precision += right / has.all;
    score.precisions += 1;
  }
  if (wanted.all === 0) return;
  score.recall += right / wanted.all;
  score.recalls += 1;
}

export function f1Of(precision: number, recall: number): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function titlesOf(html: string): string[] {
  return Array.from(html.matchAll(/<h1\b[^>]*>([^]*?)<\/h1>/gi), ([, inside]) =>
    plainOf(textOf(parseFragment(inside!))).trim(),
  );
}

function textOf(node: Tree.Node): string {
  if (node.nodeName === '#text') return (node as Tree.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function withoutTitles(text: string, titles: readonly string[]): string {
  const lines = text.split('\n');
  const plain = lines.map((line) => plainOf(line).trim());
  for (const title of titles) {
    const line = plain.indexOf(title);
    if (line !== -1) lines[line] = '';
  }
  return lines.join('\n');
}

/** Removes Markdown marks and the addresses of links; makes spaces single. */
function plainOf(text: string): string {
  return text
    .replace(/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1')
    .replace(/\\([^\w\s])/g, '$1')
    .replace(/[*_`#>|]/g, '')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/[\s\u00a0]+/g, ' ');
}

function shinglesOf(text: string): { all: number; counts: ReadonlyMap<string, number> } {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const all = words.length === 0 ? 0 : Math.max(1, words.length - 3);
  const counts = new Map<string, number>();
  for (let i = 0; i < all; i++) {
    const shingle = words.slice(i, i + 4).join(' ');
    counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  }
  return { all, counts };
}
