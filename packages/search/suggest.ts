import { replaceUnseen } from '../util/index.js';
import type { Words } from '../index/index.js';

/** Suggestions at the most. */
const MOST = 10;

/**
 * The query with its last word completed by the words of titles that begin so, in the order of the titles; each once. They are spelt
 * as the title has them, in small letters: `réseau` for `res`.
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
      if (found.length === MOST) return found;
    }
  }
  return found;
}

/** Signs without a width within a word are no part of it. */
function wordOf(text: string): string {
  return replaceUnseen(text, '').toLowerCase();
}
