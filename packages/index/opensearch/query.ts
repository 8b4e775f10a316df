import type { KeyRange } from '../../../webtable/index.js';
import type { Clause, IndexField, IndexQuery, IndexWeights } from '../reader.js';
import { TERM_FIELDS } from './schema.js';

/** Words between those that stand near each other, at the most. */
const NEAR = 20;
/** The best pages of which it is looked at what stands together: that costs far more than the words alone. */
const LOOKED_AT = 500;
/** Terms that a beginning stands for, at the most. */
const EXPANSIONS = 200;
/**
 * Parts that words, forms and fields may make of a query: OpenSearch refuses one of more than 1,024, as
 * `indices.query.bool.max_clause_count` has it by default, and filters need some.
 */
const MOST_PARTS = 900;

/**
 * The body of a search: BM25 of each field by its weight, and the rank as the embedded index has it. What stands together
 * counts among the best pages only.
 * @param documents of the whole index
 */
export function searchBody(query: IndexQuery, documents: number): object {
  const { must, mustNot, weights, limit, preferred = [], together = [] } = query;
  const share = shareOf([...must, ...mustNot]);
  const wanted = must.flatMap((clause) => clauseQuery(clause, weights, share) ?? []);
  const bool = {
    must: wanted,
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
      'language',
      'rank',
      'simhash',
      ...['fetchedAt', 'modifiedTime'].map((field) => ({ field, format: 'epoch_millis' })),
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

/** Documents that hold a term in any field. */
export function termQuery(term: string): object {
  return { bool: { should: TERM_FIELDS.map((field) => ({ term: { [`terms.${field}`]: term } })) } };
}

function rankPart({ rank }: IndexWeights, documents: number): object {
  return {
    field_value_factor: { field: 'rank', factor: Math.max(1, documents), modifier: 'ln1p', missing: 0 },
    weight: rank,
  };
}

function togetherQueries(text: string): object[] {
  return [
    { match_phrase: { 'terms.text': { query: text, slop: NEAR } } },
    { match_phrase: { 'terms.title': { query: text, boost: 2 } } },
  ];
}

/** How many parts of a query each field of a clause may be; forms beyond that are left out, the last ones first. */
function shareOf(clauses: readonly Clause[]): number {
  const fields = clauses.reduce((sum, { fields: own = TERM_FIELDS }) => sum + own.length, 0);
  return Math.max(1, Math.floor(MOST_PARTS / Math.max(1, fields)));
}

/** Undefined where a clause holds no term. */
function clauseQuery(
  { phrases, fields = TERM_FIELDS, isPrefix }: Clause,
  weights: IndexWeights,
  share: number,
): object | undefined {
  const all = phrases.map((terms) => terms.filter((term) => term !== '').join(' ')).filter((text) => text !== '');
  const texts = [...new Set(all)].slice(0, share);
  if (texts.length === 0) return undefined;
  const expansions = Math.max(1, Math.min(EXPANSIONS, Math.floor(share / texts.length)));
  const one = (field: IndexField, query: string): object => {
    const asked = {
      [`terms.${field}`]: { query, boost: weights[field], ...(isPrefix && { max_expansions: expansions }) },
    };
    return isPrefix ? { match_phrase_prefix: asked } : { match_phrase: asked };
  };
  return {
    bool: { should: texts.flatMap((text) => fields.map((field) => one(field, text))), minimum_should_match: 1 },
  };
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
    const isUnknown = none({ exists: { field: 'modifiedTime' } });
    const byFetch = { bool: { filter: [{ range: { fetchedAt: range } }, isUnknown] } };
    filters.push({ bool: { should: [{ range: { modifiedTime: range } }, byFetch] } });
  }
  return filters;
}

function rangesQuery(ranges: readonly KeyRange[]): object {
  const should = ranges.map(({ start, end }) => ({
    range: { key: { gte: start, ...(end !== undefined && { lt: end }) } },
  }));
  return { bool: { should } };
}
