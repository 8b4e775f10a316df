import type { Clause, IndexHit, IndexHits, IndexQuery } from '../../reader.js';
import type { Database, SqlRow, SqlValue } from '../database.js';
import { TEXT_COLUMNS } from '../schema.js';
import { createCounts } from './counts.js';
import { excludedMatch, hasPairs, matchOf, phraseMatch } from './match.js';
import { createRankCache, wholeNumbers } from './rank-cache.js';
import { CrawlError } from '../../../errors/index.js';
import type { KeyRange } from '../../../core/index.js';

/** If there are more matches than this, only pages that may be among the best are scored. */
const MAX_SCORED_MATCHES = 30_000;
/** Maximum number of pages that are scored if there are more than `MAX_SCORED_MATCHES` matches. */
const MAX_SCORED_BY_RANK = 20_000;
/**
 * If more than `MAX_SCORED_BY_RANK` pages may be among the best, only this number of pages with the words in the title is scored, and the
 * same number of other pages.
 */
const MAX_SCORED_PER_GROUP = 5000;
/**
 * Number of pages with the highest rank that are scored first. The scores of these pages show which rank a page needs to be among the best.
 */
const FIRST_SCORED = 1000;
/** The maximum score of a phrase, divided by its inverse document frequency. The maximum is `k1` of bm25() in FTS5, plus 1. */
const MAX_PHRASE_SCORE = 2.2;

/** Allowance for the rounding of ranks, which have seven digits in memory. */
const ROUNDING = 1e-4;

const HIT = 'd.key, d.title, d.language, d.fetched, d.modified, d.rank, d.simhash';

interface Search {
  readonly query: IndexQuery;
  readonly match: string;
  readonly where: string;
  readonly values: readonly SqlValue[];
  readonly documents: number;
}

/**
 * Makes the function that answers queries from the index.
 *
 * The score of a page has three parts. The first is BM25 over all fields of the page, where a word in a field counts as often as the weight
 * of the field says. The second is the weight of the rank, multiplied by ln(1 + rank of the page / mean rank). The third is the weight of
 * the language, if the page is in a preferred language. Words that are close together, and the query exactly as typed, raise the score too,
 * but only if a word of the query is in at most 30,000 pages.
 *
 * If there are at most 30,000 matches, all are scored. If there are more, the pages with the highest ranks are scored first. BM25 has an
 * upper limit: 2.2 times the inverse document frequency of each phrase. So the scores of these pages tell which rank a page needs to be
 * among the best. Then all pages with at least this rank are scored, so the result is the same as if all pages were scored. If more than
 * 20,000 pages have this rank, the result is approximate. Then only 5,000 pages with the words in the title and 5,000 other pages are
 * scored; in both groups, those with the highest ranks. The ranks for this choice may be a minute old; the scores use the present ones.
 */
export function createFinder(database: Database, now: () => number): (query: IndexQuery) => IndexHits {
  const counts = createCounts(database);
  const ranks = createRankCache(database, now);

  return (asked) => {
    const isMany = asked.must.every(isInMany);
    const query = isMany ? withWordsAlone(asked) : asked.literal?.every(isInMany) ? { ...asked, literal: [] } : asked;
    const match = matchOf(query);
    if (match === undefined) return withoutWords(query);
    const { sql, values } = conditionsOf(query);
    const search: Search = {
      query,
      match,
      where: sql.map((text) => ` and ${text}`).join(''),
      values,
      documents: counts.documents(),
    };
    if (isMany) {
      const ids = matches(search);
      const found = { total: ids.length, partial: 0 };
      if (ids.length > MAX_SCORED_MATCHES) return { ...found, ...bestOfMany(search, ids) };
      return { ...found, hits: scored(search), isApproximate: false };
    }
    const hits = scored(search);
    const all = hits.length < query.limit ? hits.length : countOf(search);
    const whole = matchOf({ ...query, together: [] }) ?? match;
    const total = hasPairs(query) && all > 0 ? countOf({ ...search, match: whole }) : all;
    return { total, partial: all - total, hits, isApproximate: false };
  };

  /** Whether more than {@link MAX_SCORED_MATCHES} documents may match a clause. */
  function isInMany({ phrases, pairs = [], isPrefix }: Clause): boolean {
    const mostOf = (terms: readonly string[]): number =>
      terms.length === 0 ? 0 : Math.min(...terms.map((term) => counts.matches(phraseMatch([term]))));
    return isPrefix === true || [...phrases, pairs].reduce((sum, terms) => sum + mostOf(terms), 0) > MAX_SCORED_MATCHES;
  }

  function countOf({ match, where, values }: Search): number {
    if (where === '') return counts.matches(match);
    return Number(database.prepare(`select count(*) as n ${fromOf(where)}`).get(match, ...values)?.n ?? 0);
  }

  function scored({ query, match, where, values, documents }: Search): readonly IndexHit[] {
    return database
      .prepare(
        `select ${HIT}, ${scoreOf(query, documents)} as score ${fromOf(where)} order by score desc, d.key limit ?`,
      )
      .all(match, ...values, query.limit)
      .map(hitOf);
  }

  function bestOfMany(search: Search, ids: Float64Array): Omit<IndexHits, 'total' | 'partial'> {
    const { query } = search;
    const rankOf = ranks();
    const found = Float32Array.from(ids, rankOf);
    const sorted = found.slice().sort();
    const isFlat = query.weights.rank === 0 || sorted[0] === sorted.at(-1);
    const exact = isFlat ? undefined : bestByRank(search, ids, found, sorted);
    if (exact) return { hits: exact, isApproximate: false };
    const must = query.must.map((clause) => ({ ...clause, fields: ['title' as const] }));
    const titles = matches({ ...search, match: matchOf({ must, mustNot: query.mustNot }) ?? '' });
    const wanted = new Set<number>();
    for (const some of [titles, ids]) {
      const least = isFlat ? -Infinity : rankOfBest(Float32Array.from(some, rankOf).sort(), MAX_SCORED_PER_GROUP);
      const most = wanted.size + MAX_SCORED_PER_GROUP;
      for (const id of some) if (wanted.size < most && rankOf(id) >= least) wanted.add(id);
    }
    return { hits: scoreSome(search, ids, wanted.size, (i) => wanted.has(ids[i]!)), isApproximate: true };
  }

  /** Returns the best pages, if the ranks show which pages can be among them. Undefined: too many pages can be among them. */
  function bestByRank(
    search: Search,
    ids: Float64Array,
    found: Float32Array,
    sorted: Float32Array,
  ): readonly IndexHit[] | undefined {
    const { query, documents } = search;
    const leastOfFirst = rankOfBest(sorted, FIRST_SCORED);
    const first = scoreSome(search, ids, FIRST_SCORED, (i) => found[i]! >= leastOfFirst);
    const leastScore = (first[query.limit - 1]?.score ?? -Infinity) - mostOfWords(search) - ROUNDING;
    const least = rankOfPart(leastScore, query, documents);
    if (least >= leastOfFirst) return first;
    if (least < rankOfBest(sorted, MAX_SCORED_BY_RANK)) return undefined;
    return scoreSome(search, ids, MAX_SCORED_BY_RANK, (i) => found[i]! >= least);
  }

  /** Returns the ids of all matches, ascending. SQLite returns the ids as one text, because reading rows would take ten times as long. */
  function matches({ match, where, values }: Search): Float64Array {
    const from = where === '' ? 'from fts where fts match ?' : fromOf(where);
    const row = database.prepare(`select group_concat(fts.rowid) as ids ${from}`).get(match, ...values);
    return wholeNumbers(String(row?.ids ?? ''));
  }

  /** Scores the wanted matches, at most `most` of them. Matches of equal rank are in the order of their ids. */
  function scoreSome(
    search: Search,
    ids: Float64Array,
    most: number,
    isWanted: (i: number) => boolean,
  ): readonly IndexHit[] {
    const flags = Buffer.alloc(ids.at(-1) ?? 0);
    let left = most;
    for (let i = 0; i < ids.length && left > 0; i++) {
      if (!isWanted(i)) continue;
      flags[ids[i]! - 1] = 1;
      left -= 1;
    }
    return scored({ ...search, where: ` and substr(?, fts.rowid, 1) = x'01'`, values: [flags] });
  }

  /** The upper limit of BM25 for this query, plus the weight of the language. */
  function mostOfWords({ query, documents }: Search): number {
    const { preferred = [], weights } = query;
    const phrases = query.must.flatMap(({ phrases: own, pairs = [], isPrefix }) => [
      ...own.map((terms) => phraseMatch(terms, isPrefix)),
      ...pairs.map((pair) => phraseMatch([pair])),
    ]);
    return (
      (preferred.length > 0 ? Math.max(0, weights.language) : 0) +
      phrases.reduce((sum, phrase) => {
        const found = counts.matches(phrase);
        // The result is at least 1e-6, as in FTS5. It would be negative for a phrase in more than half of the documents.
        const frequency = Math.max(Math.log((documents - found + 0.5) / (found + 0.5)), 1e-6);
        return sum + MAX_PHRASE_SCORE * frequency;
      }, 0)
    );
  }

  /** Finds pages by rank alone, for example for `site:` without a word. */
  function withoutWords(query: IndexQuery): IndexHits {
    const conditions = conditionsOf(query);
    const excluded = excludedMatch(query.mustNot);
    const sql = [
      ...conditions.sql,
      ...(excluded === undefined ? [] : ['d.id not in (select rowid from fts where fts match ?)']),
    ];
    const values = [...conditions.values, ...(excluded === undefined ? [] : [excluded])];
    const from = `from docs d${sql.length === 0 ? '' : ` where ${sql.join(' and ')}`}`;
    const rows = database
      .prepare(`select ${HIT}, d.rank as score ${from} order by d.rank desc, d.key limit ?`)
      .all(...values, query.limit);
    const total = Number(database.prepare(`select count(*) as n ${from}`).get(...values)?.n ?? 0);
    return { total, partial: 0, hits: rows.map(hitOf), isApproximate: false };
  }
}

/** Returns the query without the parts that refine the score, and without `literal`: it finds the pages with its words alone. */
function withWordsAlone(query: IndexQuery): IndexQuery {
  return { ...query, must: query.must.map(({ longer: _, ...clause }) => clause), together: [], literal: [] };
}

function fromOf(where: string): string {
  return `from fts cross join docs d on d.id = fts.rowid where fts match ?${where}`;
}

/** Returns the score as SQL. {@link rankOfPart} is the inverse of the part of the score that comes from the rank. */
function scoreOf({ weights, preferred = [] }: IndexQuery, documents: number): string {
  const fields = TEXT_COLUMNS.map((field) => real(field === 'names' ? 0 : weights[field])).join();
  const languages = preferred.map((name) => `'${name.replaceAll("'", "''")}'`).join();
  const language =
    languages === '' || weights.language === 0 ? '' : ` + ${real(weights.language)} * (d.language in (${languages}))`;
  return `(${real(weights.rank)} * ln(1 + ${real(documents)} * d.rank) - bm25(fts, ${fields})${language})`;
}

/** Returns the rank from which the rank part of the score has this value. -Infinity: any rank is high enough. */
function rankOfPart(part: number, { weights }: IndexQuery, documents: number): number {
  if (weights.rank === 0) return part > 0 ? Infinity : -Infinity;
  return (Math.exp(part / weights.rank) - 1) / documents;
}

/** Returns the highest rank that at least `count` of the given ranks reach. If there are fewer ranks, it returns the lowest of them. */
function rankOfBest(sorted: Float32Array, count: number): number {
  return sorted[Math.max(0, sorted.length - count)] ?? -Infinity;
}

function real(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`expected a finite number, found ${value}`);
  return value.toExponential();
}

function hitOf(row: SqlRow): IndexHit {
  const { key, title, score, language, fetched, modified, rank, simhash } = row;
  return {
    key: String(key),
    title: String(title),
    score: Number(score),
    language: String(language),
    fetchedAt: Number(fetched),
    modifiedAt: Number(modified),
    rank: Number(rank),
    simhash: String(simhash),
  };
}

/** Maximum number of key ranges or languages in one condition. SQLite refuses an expression that is nested a thousand deep. */
const MAX_ALTERNATIVES = 128;

/** The time when a page last changed. If it is unknown, the time when the page was fetched. */
const TIME = 'case when d.modified > 0 then d.modified else d.fetched end';

/**
 * Returns the conditions of a query on a row of `docs d`: SQL expressions, and the values for their question marks.
 * @throws CrawlError USAGE for too many conditions
 */
function conditionsOf(query: Omit<IndexQuery, 'must' | 'mustNot' | 'weights' | 'limit'>) {
  const { sites = [], notSites = [], languages = [], notLanguages = [], from, to } = query;
  const most = Math.max(...[sites, notSites, languages, notLanguages].map(({ length }) => length));
  if (most > MAX_ALTERNATIVES) {
    throw new CrawlError(
      'USAGE',
      `expected at most ${MAX_ALTERNATIVES} sites and as many languages in a query, found ${most}`,
    );
  }
  const sql: string[] = [];
  const values: SqlValue[] = [];
  const add = (text: string, ...more: readonly SqlValue[]): void => {
    sql.push(text);
    values.push(...more);
  };
  const ranges = (list: readonly KeyRange[]): [string, ...SqlValue[]] => [
    `(${list.map(({ end }) => (end === undefined ? 'd.key >= ?' : '(d.key >= ? and d.key < ?)')).join(' or ')})`,
    ...list.flatMap(({ start, end }) => (end === undefined ? [start] : [start, end])),
  ];
  if (sites.length > 0) add(...ranges(sites));
  if (notSites.length > 0) {
    const [text, ...more] = ranges(notSites);
    add(`not ${text}`, ...more);
  }
  if (languages.length > 0) add(`d.language in (${languages.map(() => '?').join()})`, ...languages);
  if (notLanguages.length > 0) add(`d.language not in (${notLanguages.map(() => '?').join()})`, ...notLanguages);
  if (from !== undefined) add(`${TIME} >= ?`, from);
  if (to !== undefined) add(`${TIME} < ?`, to);
  return { sql, values };
}
