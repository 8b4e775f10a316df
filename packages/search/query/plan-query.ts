import type { Clause, IndexField, Word, Words } from '../../index/index.js';
import type { ParsedQuery, QueryNotice, QueryPart } from './parse-query.js';

/** Words of a query that are looked for. */
export const MAX_WORDS = 32;
/** Words of a query that are looked for near each other. */
const MOST_TOGETHER = 12;
/** Lists of their forms. */
const MOST_FORMS = 3;
/** Languages of which words are stemmed, those of the most pages first. */
export const MAX_STEMMED = 20;

/** One word or phrase of a query that pages must hold. */
export interface PlannedClause {
  readonly clause: Clause;
  /** As it was typed. */
  readonly text: string;
  /** It was typed as one word, anywhere: where it is very common, it may be left out. */
  readonly isPlainWord: boolean;
  /** It was typed without quotes and field: where no page holds all words, it may be missing. */
  readonly isLoose: boolean;
}

/** What an index is asked for. */
export interface QueryPlan {
  readonly must: readonly PlannedClause[];
  readonly mustNot: readonly Clause[];
  /** All words, once in each of their forms, of a query of nothing but two or more words. */
  readonly together: readonly (readonly string[])[];
  readonly notices: readonly QueryNotice[];
}

/** What the query is split and stemmed with. */
export interface PlanInput {
  readonly words: Words;
  /** Languages of the index, those of the most pages first; the empty name is of pages where it is not known. */
  readonly languages: readonly string[];
  /** The last word may be the beginning of one. */
  readonly isPrefix?: boolean;
}

/**
 * Makes of a query what an index is asked for. Its words are split as those of pages are, and each is looked for in the
 * forms that it has in any language of the index. Where Japanese and Chinese split a run otherwise, either will do.
 * Words that punctuation joins (`apt-get`) must stand side by side.
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
    for (const phrases of partPhrases(part, input)) {
      const length = Math.max(...phrases.map((terms) => terms.length));
      const room = MAX_WORDS - words;
      left += Math.max(0, length - room);
      if (room === 0) continue;
      words += Math.min(length, room);
      const begun = distinct(phrases.map((terms) => terms.slice(0, room)));
      const planned = plannedClause(part, begun, input);
      if (part.isExcluded) mustNot.push(planned.clause);
      else must.push(planned);
    }
    const last = must.at(-1);
    if (isLast && last && !part.isExcluded)
      must[must.length - 1] = { ...last, clause: { ...last.clause, isPrefix: true } };
  }
  if (left > 0) notices.push({ code: 'too_many_words', count: left });
  return { must, mustNot, together: input.isPrefix ? [] : togetherOf(must), notices };
}

/** The words as each language stems them: the n-th form of a word goes with the n-th of another. */
function togetherOf(must: readonly PlannedClause[]): (readonly string[])[] {
  if (must.length < 2 || must.length > MOST_TOGETHER || must.some(({ isLoose }) => !isLoose)) return [];
  const forms = Math.max(...must.map(({ clause }) => clause.phrases.length));
  const lists = Array.from({ length: Math.min(forms, MOST_FORMS) }, (_, i) =>
    must.flatMap(({ clause: { phrases } }) => phrases[Math.min(i, phrases.length - 1)]!),
  );
  return distinct(lists);
}

/** The phrases of a part, alternatives together: one list for what must stand side by side. */
function partPhrases({ text, isPhrase }: QueryPart, { words, languages }: PlanInput): (readonly string[])[][] {
  const splits = [words.split(text)];
  if (languages.includes('ja') && /\p{Script=Han}/u.test(text)) splits.push(words.split(text, 'ja'));
  if (isPhrase) {
    const phrases = distinct(splits.map((split) => split.map(({ term }) => term)));
    return phrases.some((terms) => terms.length > 0) ? [phrases] : [];
  }
  const found: string[][][] = [];
  let lastEnd = -1;
  for (const cluster of clustersOf(splits)) {
    const phrases = distinct(cluster.splits);
    const before = found.at(-1);
    const isJoined = before && cluster.start > lastEnd && before.length === 1 && phrases.length === 1;
    if (isJoined) for (const term of phrases[0]!) before[0]!.push(term);
    else found.push(phrases);
    lastEnd = cluster.end;
  }
  return found;
}

interface Cluster {
  readonly start: number;
  end: number;
  readonly splits: string[][];
}

/** Runs of a text that all splits begin and end together, as short as can be. */
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
  phrases: readonly (readonly string[])[],
  { words, languages }: PlanInput,
): PlannedClause {
  const stemmed = languages
    .slice(0, MAX_STEMMED)
    .flatMap((language) =>
      phrases.map((terms) => terms.map((term) => words.stem(term, language === '' ? undefined : language))),
    );
  const all = distinct(stemmed.length === 0 ? phrases : stemmed);
  const fields: readonly IndexField[] | undefined = field && [field];
  return {
    clause: { phrases: all, ...(fields && { fields }) },
    text: isPhrase ? `"${text}"` : phrases[0]!.length === 1 ? phrases[0]![0]! : text,
    isLoose: !isPhrase && !field,
    isPlainWord: !isPhrase && !field && phrases.every((terms) => terms.length === 1),
  };
}

function distinct<T extends readonly string[]>(phrases: readonly T[]): T[] {
  const found = new Map(phrases.filter((terms) => terms.length > 0).map((terms) => [terms.join(' '), terms]));
  return [...found.values()];
}
