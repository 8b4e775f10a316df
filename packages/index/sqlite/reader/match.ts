import type { Clause, IndexQuery } from '../../reader.js';

/** Words between those that stand near each other, at the most. */
const NEAR = 20;
/** Words of a query of which two side by side in a title make a page a hit. */
const FEWEST_OF_PAIRS = 3;

/**
 * The argument of MATCH for the words of a query, in the syntax of FTS5; undefined where it asks for no word. Every
 * phrase is quoted, so that no term is read as syntax.
 */
export function matchOf({
  must,
  mustNot,
  together = [],
}: Pick<IndexQuery, 'must' | 'mustNot' | 'together'>): string | undefined {
  const wanted = must.map(clauseMatch).filter((text) => text !== undefined);
  if (wanted.length === 0) return undefined;
  const all = [wanted.join(' AND '), ...together.flatMap(togetherMatches)].join(' OR ');
  const none = mustNot.map(clauseMatch).filter((text) => text !== undefined);
  return none.reduce((match, text) => `(${match}) NOT ${text}`, all);
}

/** The argument of MATCH for the pages that a query without words leaves out. */
export function excludedMatch(mustNot: readonly Clause[]): string | undefined {
  const none = mustNot.map(clauseMatch).filter((text) => text !== undefined);
  return none.length === 0 ? undefined : none.join(' OR ');
}

/** What each of these finds beside the words counts in the score as one more word, as rare as it is. */
function togetherMatches(terms: readonly string[]): string[] {
  const near = `NEAR(${terms.map((term) => phraseMatch([term])).join(' ')}, ${NEAR})`;
  const pairs = terms.length < FEWEST_OF_PAIRS ? [] : terms.slice(1).map((term, i) => phraseMatch([terms[i]!, term]));
  return [near, `{title} : ^ ${phraseMatch(terms)}`, ...pairs.map((pair) => `{title} : ${pair}`)];
}

/** Whether pages that do not hold all words may match, for two of them side by side in their title. */
export function hasPairs({ together = [] }: Pick<IndexQuery, 'together'>): boolean {
  return together.some((terms) => terms.length >= FEWEST_OF_PAIRS);
}

/** One phrase, anywhere. */
export function phraseMatch(terms: readonly string[], isPrefix = false): string {
  return `"${terms.map((term) => term.replaceAll('"', '""').replaceAll('\0', '')).join(' ')}"${isPrefix ? ' *' : ''}`;
}

function clauseMatch({ phrases, fields, isPrefix }: Clause): string | undefined {
  const some = phrases.filter((terms) => terms.some((term) => term !== ''));
  if (some.length === 0) return undefined;
  const [first = '', ...others] = some.map((terms) => phraseMatch(terms, isPrefix));
  const any = others.length === 0 ? first : `(${[first, ...others].join(' OR ')})`;
  return fields ? `({${fields.join(' ')}} : ${any})` : any;
}
