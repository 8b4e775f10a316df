import type { Words } from '../index/index.js';

/** Suggestions at the most. */
const MOST = 10;

/** The query with its last word completed by the words of titles that begin so, in the order of the titles; each once. */
export function completions(query: string, titles: readonly string[], words: Words): string[] {
  const last = words.split(query).at(-1);
  if (!last) return [];
  const before = query.slice(0, last.start);
  const found = new Set<string>();
  for (const title of titles) {
    for (const { term } of words.split(title)) {
      if (term.startsWith(last.term)) found.add(`${before}${term}`);
      if (found.size === MOST) return [...found];
    }
  }
  return [...found];
}
