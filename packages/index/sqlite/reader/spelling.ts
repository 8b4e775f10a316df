import type { SimilarTerm } from '../../reader.js';
import type { Database } from '../database.js';
import { createCounts } from './counts.js';
import { phraseMatch } from './match.js';

/** Letters that may be missing in a misspelt word, by script. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[a-z0-9]+$/, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[\u0430-\u044f\u0451]+$/, 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  [/^[\u03b1-\u03c9]+$/, 'αβγδεζηθικλμνξοπρστυφχψω'],
];
const HAN = /^\p{Script=Han}{3,}$/u;
/** In the search for terms with two mistakes, this number of first letters must be equal. */
const SHARED_LETTERS = 4;
/** The cost grows with each letter, and longer words are rare. */
const MAX_TERM_LETTERS = 20;
const MAX_CANDIDATES = 1000;

/**
 * Makes the function that finds terms of the index with a similar spelling: one letter is added, missing or different, or two letters are
 * swapped. For terms of at least eight letters, it also finds terms with two mistakes after the first four letters. For Chinese, it finds
 * only words of at least three characters with one different character, because in shorter words nearly any change makes another word.
 */
export function createSpelling(database: Database) {
  database.exec(`create virtual table temp.terms using fts5vocab(main, fts, 'row')`);
  const all = createCounts(database);
  const some = database.prepare('select term, doc as n from temp.terms where term >= ? and term < ? limit ?');
  // This does not use the cache of counts, because a thousand candidates, each used only once, would push other terms out of it.
  const one = database.prepare('select doc as n from temp.terms where term = ?');
  const countOf = (term: string): number => all.matches(phraseMatch([term]));
  const between = (start: string): SimilarTerm[] =>
    some
      .all(start, `${start}\u{10ffff}`, MAX_CANDIDATES)
      .map(({ term, n }) => ({ term: String(term), documents: Number(n) }));

  function candidates(term: string): SimilarTerm[] {
    const letters = [...term];
    if (HAN.test(term)) {
      const last = letters.slice(0, -1).join('');
      const first = letters.slice(0, 1).join('');
      return [...between(last), ...between(first)].filter(
        (other) => [...other.term].length === letters.length && editDistance(term, other.term) === 1,
      );
    }
    const alphabet = ALPHABETS.find(([script]) => script.test(term))?.[1];
    if (alphabet === undefined || letters.length < 3 || letters.length > MAX_TERM_LETTERS) return [];
    const near = [...oneEdit(letters, alphabet)].map((other) => ({
      term: other,
      documents: Number(one.get(other)?.n ?? 0),
    }));
    const far =
      letters.length < 8
        ? []
        : between(letters.slice(0, SHARED_LETTERS).join('')).filter((other) => editDistance(term, other.term) === 2);
    return [...near, ...far];
  }

  return {
    counts: (terms: readonly string[]): number[] => terms.map(countOf),
    similar(term: string): SimilarTerm[] {
      const found = new Map(candidates(term).map((other) => [other.term, other]));
      found.delete(term);
      return [...found.values()]
        .filter(({ documents }) => documents > 0)
        .sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1))
        .slice(0, 10);
    },
  };
}

function oneEdit(letters: readonly string[], alphabet: string): Set<string> {
  const edits = new Set<string>();
  for (let at = 0; at <= letters.length; at++) {
    const before = letters.slice(0, at).join('');
    const rest = letters.slice(at).join('');
    const tail = letters.slice(at + 1).join('');
    if (at < letters.length) edits.add(before + tail);
    if (at + 1 < letters.length) edits.add(before + letters[at + 1]! + letters[at]! + letters.slice(at + 2).join(''));
    for (const letter of alphabet) {
      edits.add(before + letter + rest);
      if (at < letters.length) edits.add(before + letter + tail);
    }
  }
  return edits;
}

/**
 * Returns the number of edits that turn one word into the other. An edit inserts, deletes or replaces a letter, or swaps two neighbouring
 * letters.
 */
function editDistance(first: string, second: string): number {
  const a = [...first];
  const b = [...second];
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
