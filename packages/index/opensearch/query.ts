import type { KeyRange } from '../../core/index.js';
import type { Clause, IndexQuery, IndexWeights, StoredField } from '../reader.js';
import { TERM_FIELDS } from './schema.js';

const MAX_WORDS_BETWEEN = 20;
/** Number of best pages in which words close together are searched. This search takes far longer than a search for single words. */
const LOOKED_AT = 500;
const MAX_EXPANSIONS = 200;
/**
 * Maximum number of parts of a query that are made from words, forms and fields. OpenSearch refuses a query with more than 1,024 parts (the
 * default of `indices.query.bool.max_clause_count`), and filters need the remaining parts.
 */
const MAX_PARTS = 900;

/**
 * Makes the body of a search. The score is a sum: for each field, BM25 multiplied by the weight of the field; and a part for the rank, as
 * in the embedded index. Words close together raise the score only among the best pages.
 * @param documents number of documents in the whole index
 */
export function searchBody(query: IndexQuery, documents: number): object {
  const { must, mustNot, weights, limit, preferred = [], together = [], literal = [] } = query;
  const share = shareOf(query);
  const wanted = must.flatMap((clause) => clauseQuery(clause, weights, share) ?? []);
  const letters = literal.flatMap((clause) => clauseQuery(clause, weights, share) ?? []);
  const bool = {
    must: letters.length === 0 ? wanted : [anyOf([{ bool: { must: wanted } }, { bool: { must: letters } }])],
    must_not: mustNot.flatMap((clause) => clauseQuery(clause, weights, share) ?? []),
    filter: filtersOf(query),
    should:
      preferred.length === 0
        ? []
        : [{ constant_score: { filter: { terms: { language: preferred } }, boost: weights.language } }],
  };
  const isByRank = wanted.length === 0;
  const lists = isByRank ? [] : together.map((terms) => terms.join(' '));
  return {
    size: limit,
    track_total_hits: true,
    _source: false,
    docvalue_fields: [
      'key',
      'shownTitle',
      'language',
      'rank',
      'simhash',
      ...['fetchedAt', 'modifiedAt'].map((field) => ({ field, format: 'epoch_millis' })),
    ],
    query: isByRank
      ? { bool }
      : { function_score: { query: { bool }, functions: [rankPart(weights, documents)], boost_mode: 'sum' } },
    ...(isByRank && { sort: [{ rank: 'desc' }, { key: 'asc' }] }),
    ...(lists.length > 0 && {
      rescore: {
        window_size: Math.max(LOOKED_AT, limit),
        query: { rescore_query: { bool: { should: lists.flatMap(togetherQueries) } } },
      },
    }),
  };
}

export function termQuery(term: string, fields: readonly StoredField[] = TERM_FIELDS): object {
  return { bool: { should: fields.map((field) => ({ term: { [`terms.${field}`]: term } })) } };
}

function rankPart({ rank }: IndexWeights, documents: number): object {
  return {
    field_value_factor: { field: 'rank', factor: Math.max(1, documents), modifier: 'ln1p', missing: 0 },
    weight: rank,
  };
}

function togetherQueries(text: string): object[] {
  return [
    { match_phrase: { 'terms.text': { query: text, slop: MAX_WORDS_BETWEEN } } },
    { match_phrase: { 'terms.title': { query: text, boost: 2 } } },
  ];
}

function anyOf(should: readonly object[]): object {
  return { bool: { should, minimum_should_match: 1 } };
}

/** Returns the maximum number of query parts for each field of a clause. If a clause has more phrases, the last phrases are ignored. */
function shareOf({ must, mustNot, literal = [] }: IndexQuery): number {
  const fieldsOf = (clauses: readonly Clause[]): number =>
    clauses.reduce((sum, { fields: own = TERM_FIELDS }) => sum + own.length, 0);
  const single = literal.filter(({ phrases }) => phrases.length === 1);
  const others = literal.filter(({ phrases }) => phrases.length > 1);
  const fields = fieldsOf([...must, ...mustNot, ...others]);
  return Math.max(1, Math.floor((MAX_PARTS - fieldsOf(single)) / Math.max(1, fields)));
}

function clauseQuery(
  { phrases, longer = [], pairs = [], fields = TERM_FIELDS, isPrefix }: Clause,
  weights: IndexWeights,
  share: number,
): object | undefined {
  const textsOf = (lists: readonly (readonly string[])[]): string[] =>
    lists.map((terms) => terms.filter((term) => term !== '').join(' ')).filter((text) => text !== '');
  const own = [...new Set(textsOf(phrases))].slice(0, share);
  if (own.length === 0) return undefined;
  // Without some of the pairs, pages without the text would be found: all pairs or none.
  const filter = own.length + pairs.length <= share ? pairs.map((pair) => termQuery(pair, fields)) : [];
  const texts = [...new Set([...own, ...textsOf(longer)])].slice(0, share - filter.length);
  const expansions = Math.max(1, Math.min(MAX_EXPANSIONS, Math.floor(share / texts.length)));
  const one = (field: StoredField, query: string): object => {
    const boost = field === 'names' ? 0 : weights[field];
    // A prefix query finds every term with this beginning. A phrase query would try only some of these terms.
    if (isPrefix && !query.includes(' ')) return { prefix: { [`terms.${field}`]: { value: query, boost } } };
    const asked = {
      [`terms.${field}`]: { query, boost, ...(isPrefix && { max_expansions: expansions }) },
    };
    return isPrefix ? { match_phrase_prefix: asked } : { match_phrase: asked };
  };
  const should = texts.flatMap((text) => fields.map((field) => one(field, text)));
  // Pairs are in a filter: they find pages, but do not raise the score as words do.
  if (filter.length > 0) should.push({ bool: { filter } });
  return anyOf(should);
}

function filtersOf({ sites = [], notSites = [], languages = [], notLanguages = [], from, to }: IndexQuery): object[] {
  const filters: object[] = [];
  const none = (query: object): object => ({ bool: { must_not: [query] } });
  if (sites.length > 0) filters.push(rangesQuery(sites));
  if (notSites.length > 0) filters.push(none(rangesQuery(notSites)));
  if (languages.length > 0) filters.push({ terms: { language: languages } });
  if (notLanguages.length > 0) filters.push(none({ terms: { language: notLanguages } }));
  if (from !== undefined || to !== undefined) {
    const range = { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
    const isUnknown = none({ exists: { field: 'modifiedAt' } });
    const byFetch = { bool: { filter: [{ range: { fetchedAt: range } }, isUnknown] } };
    filters.push({ bool: { should: [{ range: { modifiedAt: range } }, byFetch] } });
  }
  return filters;
}

function rangesQuery(ranges: readonly KeyRange[]): object {
  const should = ranges.map(({ start, end }) => ({
    range: { key: { gte: start, ...(end !== undefined && { lt: end }) } },
  }));
  return { bool: { should } };
}
