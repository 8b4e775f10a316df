import { replaceUnseen } from '../util/index.js';
import type { Words } from '../index/index.js';

const MAX_SUGGESTIONS = 10;

/**
 * Completes the last word of a query by words of titles that begin with it. Each word is returned once, in the order of the titles. Words
 * are spelt as in the title, but in lower case: `réseau` for `res`.
 */
export function completions(query: string, titles: readonly string[], words: Words): string[] {
  const last = words.split(query).at(-1);
  if (!last) return [];
  const before = query.slice(0, last.start);
  const found: string[] = [];
  const known = new Set<string>();
  for (const title of titles) {
    for (const { term, start, end } of words.split(title)) {
      if (!term.startsWith(last.term) || known.has(term)) continue;
      known.add(term);
      found.push(`${before}${wordOf(title.slice(start, end))}`);
      if (found.length === MAX_SUGGESTIONS) return found;
    }
  }
  return found;
}

/** Removes invisible characters of zero width, which are not part of a word. */
function wordOf(text: string): string {
  return replaceUnseen(text, '').toLowerCase();
}
