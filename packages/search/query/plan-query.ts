import type { Clause, Word, Words } from '../../index/index.js';
import type { ParsedQuery, QueryNotice, QueryPart } from './parse-query.js';

export const MAX_WORDS = 32;
/** If a query has at most this number of words, pages with the words close together score higher. */
const MAX_WORDS_TOGETHER = 12;
const MAX_PAIRS_PER_PIECE = 32;
/** With its marks. */
const MAX_CHARACTER_UNITS = 8;
/** Each list has one form of each word. */
const MAX_TOGETHER_LISTS = 3;
/** A word and a number, spelt apart and together. */
const APART = /^\p{L}{2,} \p{N}+$/u;
const TOGETHER = /^(\p{L}{2,})(\p{N}+)$/u;
/** Maximum number of languages for which words are stemmed. The languages with the most pages are chosen. */
export const MAX_STEMMED = 20;

export interface PlannedClause {
  readonly clause: Clause;
  readonly text: string;
  /** Whether this clause is a single word for any field. Such a word may be dropped if it is very common. */
  readonly isPlainWord: boolean;
  /** The Han characters of this clause. If no page has the words of the query, pages with all of these characters are found. */
  readonly characters: readonly string[];
  /** The character pairs of this clause, and the pair of its last character and the next one. Empty outside of runs of letters. */
  readonly onward: readonly string[];
  /**
   * Whether this clause was typed without quotes and without a field. If no page has all words of the query, pages without this clause are
   * found too.
   */
  readonly isLoose: boolean;
}

export interface QueryPlan {
  readonly must: readonly PlannedClause[];
  readonly mustNot: readonly Clause[];
  /** Lists of all words. Each list has one form of each word. Only a query of two or more plain words has such lists. */
  readonly together: readonly (readonly string[])[];
  /** Clauses that a page meets if it contains the typed text letter for letter. Only a run of several words has such clauses. */
  readonly literal: readonly Clause[];
  readonly notices: readonly QueryNotice[];
}

interface PlanInput {
  readonly words: Words;
  /** Languages of the index, those with most pages first. The empty name means that the language is unknown. */
  readonly languages: readonly string[];
  /** Whether the last word may be incomplete. */
  readonly isPrefix?: boolean;
}

/**
 * Turns a parsed query into a query for an index. The query is split into words in the same way as pages. Each word is searched in all
 * forms that it has in the languages of the index. If a run of characters is split differently in Japanese and in Chinese, a page matches
 * with either split. Words that are joined by punctuation (`apt-get`) must be adjacent. In scripts without blanks, and in Korean, a page
 * also matches if it contains the typed text letter for letter. Such a page may be split into other words.
 */
export function planQuery(
  { parts, notices: noticed }: Pick<ParsedQuery, 'parts' | 'notices'>,
  input: PlanInput,
): QueryPlan {
  const must: PlannedClause[] = [];
  const mustNot: Clause[] = [];
  const notices = [...noticed];
  let words = 0;
  let left = 0;
  for (const [i, part] of parts.entries()) {
    if (words >= MAX_WORDS) {
      left += parts.length - i;
      break;
    }
    const isLast = input.isPrefix === true && i === parts.length - 1;
    for (const piece of piecesOf(part, input)) {
      const { phrases } = piece;
      const length = Math.max(...phrases.map((terms) => terms.length));
      const room = MAX_WORDS - words;
      left += Math.max(0, length - room);
      if (room === 0) continue;
      words += Math.min(length, room);
      const begun = distinct(phrases.map((terms) => terms.slice(0, room)));
      const spelt = part.isPhrase || input.isPrefix ? begun : withSpellings(begun);
      const longer = piece.longer?.filter((terms) => terms.length <= MAX_WORDS);
      const planned = plannedClause(part, { ...piece, phrases: spelt, ...(longer && { longer }) }, input);
      if (part.isExcluded) mustNot.push(planned.clause);
      else must.push(planned);
    }
    const last = must.at(-1);
    if (isLast && last && !part.isExcluded)
      must[must.length - 1] = { ...last, clause: { ...last.clause, isPrefix: true } };
  }
  if (left > 0) notices.push({ code: 'too_many_words', count: left });
  const [together, literal] = input.isPrefix ? [[], []] : [togetherOf(must), literalOf(must)];
  return { must: input.isPrefix ? must : withJoined(must), mustNot, together, literal, notices };
}

/** Adds to a word and the number after it how they are spelt together: a page with `RFC9110` has both words of `RFC 9110`. */
function withJoined(must: readonly PlannedClause[]): PlannedClause[] {
  const phrases = must.map(({ clause }) => [...clause.phrases]);
  for (const [i, next] of must.entries()) {
    const before = must[i - 1];
    const text = `${before?.text} ${next.text}`;
    if (!before?.isPlainWord || !next.isPlainWord || !APART.test(text)) continue;
    for (const own of [phrases[i - 1]!, phrases[i]!]) own.push([text.replace(' ', '')]);
  }
  return must.map((planned, i) => ({ ...planned, clause: { ...planned.clause, phrases: phrases[i]! } }));
}

/** Returns a clause for each pair of characters in the runs, and the clauses outside of runs. */
function literalOf(must: readonly PlannedClause[]): Clause[] {
  if (must.some(({ isLoose }) => !isLoose) || !must.some(({ clause }) => clause.longer)) return [];
  const pairs = distinct(must.flatMap(({ onward }) => onward.map((pair) => [pair])));
  const others = must.filter(({ onward }) => onward.length === 0).map(({ clause }) => clause);
  return [...others, ...pairs.slice(0, MAX_PAIRS_PER_PIECE).map((pair) => ({ phrases: [pair] }))];
}

/** Returns lists of all words of the query. The first list has the first form of each word, the second list the second form, and so on. */
function togetherOf(must: readonly PlannedClause[]): (readonly string[])[] {
  if (must.length < 2 || must.length > MAX_WORDS_TOGETHER || must.some(({ isLoose }) => !isLoose)) return [];
  const forms = Math.max(...must.map(({ clause }) => clause.phrases.length));
  const lists = Array.from({ length: Math.min(forms, MAX_TOGETHER_LISTS) }, (_, i) =>
    must.flatMap(({ clause: { phrases } }) => phrases[Math.min(i, phrases.length - 1)]!),
  );
  return distinct(lists);
}

/** A piece of a query. Each phrase is a list of terms that must be adjacent. A page needs only one of the phrases. */
interface Piece extends Letters {
  readonly phrases: readonly (readonly string[])[];
  /** These phrases with the next word, if it is in the same run of letters. */
  readonly longer?: readonly (readonly string[])[];
}

function piecesOf({ text, isPhrase, isExcluded }: QueryPart, { words, languages }: PlanInput): Piece[] {
  const splits = [words.split(text)];
  if (languages.includes('ja') && /\p{Script=Han}/u.test(text)) splits.push(words.split(text, 'ja'));
  const lettersOf = isExcluded ? () => NO_LETTERS : createLetters(text, words);
  if (isPhrase) {
    const phrases = distinct(splits.map((split) => split.map(({ term }) => term)));
    const [first] = splits;
    const letters = lettersOf(first![0]?.start ?? 0, first!.at(-1)?.end ?? 0);
    return phrases.some((terms) => terms.length > 0) ? [{ phrases, ...letters }] : [];
  }
  const found: (Letters & { readonly phrases: string[][]; longer?: string[][] })[] = [];
  let lastEnd = -1;
  let lastTerms: readonly (readonly string[])[] = [];
  for (const { start, end, splits: terms } of clustersOf(splits)) {
    const phrases = distinct(terms);
    const before = found.at(-1);
    if (before && start > lastEnd && before.phrases.length === 1 && phrases.length === 1) {
      for (const term of phrases[0]!) before.phrases[0]!.push(term);
      Object.assign(before, NO_LETTERS);
    } else {
      if (before?.goesOn && start === lastEnd) before.longer = longerOf(lastTerms, terms);
      found.push({ phrases, ...lettersOf(start, end) });
      lastTerms = terms;
    }
    lastEnd = end;
  }
  return found;
}

/** Adds the other spelling of words with a hyphen, and of a word with a number: `email` for `e-mail`, `utf 8` for `utf8`. */
function withSpellings(phrases: (readonly string[])[]): (readonly string[])[] {
  const [terms = []] = phrases;
  if (phrases.length !== 1) return phrases;
  if (terms.length > 1) return [terms, [terms.join('')]];
  const parts = TOGETHER.exec(terms[0]!);
  return parts ? [terms, parts.slice(1)] : phrases;
}

/** Returns, for each split, the terms of a piece and the first term of the next piece. */
function longerOf(terms: readonly (readonly string[])[], next: readonly (readonly string[])[]): string[][] {
  const both = terms.map((own, i) => ({ own, first: next[i]?.[0] }));
  return distinct(both.flatMap(({ own, first }) => (own.length > 0 && first !== undefined ? [[...own, first]] : [])));
}

/** The terms for finding pages that contain a piece letter for letter. */
interface Letters {
  readonly pairs: readonly string[];
  readonly characters: readonly string[];
  /** `pairs`, and the pair of the last character and the next one. */
  readonly onward: readonly string[];
  /** Whether letters of the same run follow the piece. */
  readonly goesOn: boolean;
  /** Whether the piece is a single character, which may be the first of a pair. */
  readonly isPrefix: boolean;
}

const NO_LETTERS: Letters = { pairs: [], characters: [], onward: [], goesOn: false, isPrefix: false };

/**
 * Makes a function that returns the {@link Letters} of a piece of the text. Call the function with the pieces in order. For a single
 * character, the pair with a neighbour is returned.
 */
function createLetters(text: string, words: Words): (start: number, end: number) => Letters {
  const runs = words.runs(text);
  let at = 0;
  return (start, end) => {
    while (at < runs.length && runs[at]!.end <= start) at += 1;
    const run = runs[at];
    if (!run || run.start > start || run.end < end) return NO_LETTERS;
    const own = words.pairs(text.slice(start, end)).slice(0, MAX_PAIRS_PER_PIECE);
    const characters = words.characters(text.slice(start, end)).slice(0, MAX_PAIRS_PER_PIECE);
    const onward = words
      .pairs(text.slice(start, Math.min(run.end, end + MAX_CHARACTER_UNITS)))
      .slice(0, own.length + 1);
    const goesOn = end < run.end;
    if (own.length > 0) return { pairs: own, characters, onward, goesOn, isPrefix: false };
    const neighbour =
      onward[0] ?? words.pairs(text.slice(Math.max(run.start, start - MAX_CHARACTER_UNITS), end)).at(-1);
    return neighbour === undefined
      ? { pairs: [], characters, onward: [], goesOn, isPrefix: true }
      : { pairs: [neighbour], characters, onward: [neighbour], goesOn, isPrefix: false };
  };
}

interface Cluster {
  readonly start: number;
  end: number;
  readonly splits: string[][];
}

/** Returns the shortest runs of a text whose ends are boundaries in all splits. */
function clustersOf(splits: readonly (readonly Word[])[]): Cluster[] {
  const all = splits.flatMap((split, i) => split.map((word) => ({ ...word, i })));
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  const clusters: Cluster[] = [];
  for (const { term, start, end, i } of all) {
    let cluster = clusters.at(-1);
    if (!cluster || start >= cluster.end) {
      cluster = { start, end, splits: splits.map(() => []) };
      clusters.push(cluster);
    }
    cluster.end = Math.max(cluster.end, end);
    cluster.splits[i]!.push(term);
  }
  return clusters;
}

function plannedClause(
  { text, isPhrase, field }: QueryPart,
  { phrases, longer = [], pairs, characters, onward, isPrefix }: Piece,
  { words, languages }: PlanInput,
): PlannedClause {
  const formsOf = (given: Piece['phrases']): readonly (readonly string[])[] => {
    const stemmed = languages
      .slice(0, MAX_STEMMED)
      .flatMap((language) =>
        given.map((terms) => terms.map((term) => words.stem(term, language === '' ? undefined : language))),
      );
    return distinct(stemmed.length === 0 ? given : stemmed);
  };
  const all = formsOf(phrases);
  const fields = field && [field];
  const isPairAlone = pairs.length === 1 && all.some((terms) => terms.join(' ') === pairs[0]);
  return {
    clause: {
      phrases: all,
      ...(longer.length > 0 && { longer: formsOf(longer) }),
      ...(pairs.length > 0 && !isPairAlone && { pairs }),
      ...(isPrefix && { isPrefix }),
      ...(fields && { fields }),
    },
    characters,
    onward,
    text: isPhrase ? `"${text}"` : phrases[0]!.length === 1 ? phrases[0]![0]! : text,
    isLoose: !isPhrase && !field,
    isPlainWord: !isPhrase && !field && phrases.every((terms) => terms.length === 1),
  };
}

function distinct<T extends readonly string[]>(phrases: readonly T[]): T[] {
  const found = new Map(phrases.filter((terms) => terms.length > 0).map((terms) => [terms.join(' '), terms]));
  return [...found.values()];
}
