import type { Clause, IndexQuery } from '../../reader.js';

const MAX_WORDS_BETWEEN = 20;
/** If a query has at least this number of words, a page with two neighbouring words of the query in its title is a hit. */
const MIN_WORDS_FOR_PAIRS = 3;

/**
 * Returns the argument of MATCH for the words of a query, in the syntax of FTS5. Undefined: the query has no word. Every phrase is quoted,
 * so that no term is read as syntax.
 */
export function matchOf({
  must,
  mustNot,
  together = [],
  literal = [],
}: Pick<IndexQuery, 'must' | 'mustNot' | 'together' | 'literal'>): string | undefined {
  const wanted = allMatch(must);
  if (wanted === undefined) return undefined;
  const all = [wanted, allMatch(literal) ?? [], together.flatMap(togetherMatches)].flat().join(' OR ');
  const none = mustNot.map(clauseMatch).filter((text) => text !== undefined);
  return none.reduce((match, text) => `(${match}) NOT ${text}`, all);
}

/** Undefined: no clause has a word. */
function allMatch(clauses: readonly Clause[]): string | undefined {
  const some = clauses.map(clauseMatch).filter((text) => text !== undefined);
  return some.length === 0 ? undefined : some.join(' AND ');
}

export function excludedMatch(mustNot: readonly Clause[]): string | undefined {
  const none = mustNot.map(clauseMatch).filter((text) => text !== undefined);
  return none.length === 0 ? undefined : none.join(' OR ');
}

/**
 * Returns the arguments of MATCH for words close together. In the score, each argument counts like one more word of the query: rare matches
 * count more.
 */
function togetherMatches(terms: readonly string[]): string[] {
  const near = `NEAR(${terms.map((term) => phraseMatch([term])).join(' ')}, ${MAX_WORDS_BETWEEN})`;
  const pairs =
    terms.length < MIN_WORDS_FOR_PAIRS ? [] : terms.slice(1).map((term, i) => phraseMatch([terms[i]!, term]));
  return [near, `{title} : ^ ${phraseMatch(terms)}`, ...pairs.map((pair) => `{title} : ${pair}`)];
}

/** Whether pages without all words may match because two words of the query are next to each other in their title. */
export function hasPairs({ together = [] }: Pick<IndexQuery, 'together'>): boolean {
  return together.some((terms) => terms.length >= MIN_WORDS_FOR_PAIRS);
}

export function phraseMatch(terms: readonly string[], isPrefix = false): string {
  return `"${terms.map((term) => term.replaceAll('"', '""').replaceAll('\0', '')).join(' ')}"${isPrefix ? ' *' : ''}`;
}

function clauseMatch({ phrases, longer = [], pairs = [], fields, isPrefix }: Clause): string | undefined {
  const some = phrases.filter((terms) => terms.some((term) => term !== ''));
  if (some.length === 0) return undefined;
  const texts = [...some.map((terms) => phraseMatch(terms, isPrefix)), ...longer.map((terms) => phraseMatch(terms))];
  if (pairs.length > 0) texts.push(`(${pairs.map((pair) => phraseMatch([pair])).join(' AND ')})`);
  const [first = '', ...others] = texts;
  const match = others.length === 0 ? first : `(${[first, ...others].join(' OR ')})`;
  return fields ? `({${fields.join(' ')}} : ${match})` : match;
}
