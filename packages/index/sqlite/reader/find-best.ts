import type { Clause, IndexHit, IndexHits, IndexQuery } from '../../reader.js';
import type { Database, SqlRow, SqlValue } from '../database.js';
import { TEXT_COLUMNS } from '../schema.js';
import { createCounts } from './counts.js';
import { conditionsOf } from './conditions.js';
import { excludedMatch, hasPairs, matchOf, phraseMatch } from './match.js';
import { createRankCache, wholeNumbers } from './rank-cache.js';

/** From so many matches on, pages are scored only where they may be among the best. */
const MANY = 30_000;
/** Pages that are scored at the most of so many matches. */
const MOST_SCORED = 20_000;
/** Where that is not enough: pages with the words in the title that are scored, and as many others. */
const FEW_SCORED = 5000;
/** Pages of the highest rank that are scored first, to learn what a page needs to be among the best. */
const FIRST_SCORED = 1000;
/** `k1` of bm25() in FTS5, plus 1: what a phrase counts at the most, times its inverse document frequency. */
const MOST_OF_PHRASE = 2.2;

/** Ranks in memory are rounded, to seven digits. */
const ROUNDING = 1e-4;

const HIT = 'd.key, d.language, d.fetched, d.modified, d.rank, d.simhash';

/** What the best of many matches are found with. */
interface Search {
  readonly query: IndexQuery;
  readonly match: string;
  /** Further conditions as SQL, with their values. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Of the whole index. */
  readonly documents: number;
}

/**
 * Makes the function that answers queries from the index.
 *
 * A page scores BM25 over all its fields, where a word in a field counts as often as the weight of the field says, and
 * the weight of the rank times ln(1 + its rank in relation to the mean), and that of the language where it is preferred.
 * What stands together counts where a word of the query is in at most 30,000 pages. Of at most 30,000 matches each is scored. Of
 * more, those of the highest ranks are scored first. As BM25 is below 2.2 times the inverse document frequency of each
 * phrase, that says what rank a page needs to be among the best, and all that have it are scored: the result is that of
 * scoring all. Where these are more than 20,000, the result is approximate: 5,000 pages with the words in the title are
 * scored and 5,000 others, of the highest ranks both. Which pages those are goes by ranks that may be a minute old; they
 * are scored by those of now.
 */
export function createFinder(database: Database, now: () => number): (query: IndexQuery) => IndexHits {
  const counts = createCounts(database);
  const ranks = createRankCache(database, now);

  return (asked) => {
    const isMany = asked.must.every((clause) => mostMatches(clause) > MANY);
    const query = isMany ? { ...asked, together: [] } : asked;
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
      if (ids.length > MANY) return { ...found, ...bestOfMany(search, ids) };
      return { ...found, hits: scored(search), isApproximate: false };
    }
    const hits = scored(search);
    const all = hits.length < query.limit ? hits.length : countOf(search);
    const whole = matchOf({ ...query, together: [] }) ?? match;
    const total = hasPairs(query) && all > 0 ? countOf({ ...search, match: whole }) : all;
    return { total, partial: all - total, hits, isApproximate: false };
  };

  /** Documents that a clause finds at the most. */
  function mostMatches({ phrases, isPrefix }: Clause): number {
    if (isPrefix) return Infinity;
    return phrases.reduce(
      (sum, terms) => sum + Math.min(...terms.map((term) => counts.matches(phraseMatch([term])))),
      0,
    );
  }

  function countOf({ match, where, values }: Search): number {
    if (where === '') return counts.matches(match);
    return Number(database.prepare(`select count(*) as n ${fromOf(where)}`).get(match, ...values)?.n ?? 0);
  }

  /** Scores all matches that hold what else is asked, and gives the best. */
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
    const { rankOf } = ranks();
    const found = Float32Array.from(ids, rankOf);
    const sorted = found.slice().sort();
    const isFlat = query.weights.rank === 0 || sorted[0] === sorted.at(-1);
    const exact = isFlat ? undefined : bestByRank(search, ids, found, sorted);
    if (exact) return { hits: exact, isApproximate: false };
    const must = query.must.map((clause) => ({ ...clause, fields: ['title' as const] }));
    const titles = matches({ ...search, match: matchOf({ must, mustNot: query.mustNot }) ?? '' });
    const wanted = new Set<number>();
    for (const some of [titles, ids]) {
      const least = isFlat ? -Infinity : rankOfBest(Float32Array.from(some, rankOf).sort(), FEW_SCORED);
      const most = wanted.size + FEW_SCORED;
      for (const id of some) if (wanted.size < most && rankOf(id) >= least) wanted.add(id);
    }
    return { hits: scoreSome(search, ids, wanted.size, (i) => wanted.has(ids[i]!)), isApproximate: true };
  }

  /** The best where ranks tell which pages can be among them; undefined where these are too many. */
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
    if (least < rankOfBest(sorted, MOST_SCORED)) return undefined;
    return scoreSome(search, ids, MOST_SCORED, (i) => found[i]! >= least);
  }

  /** The ids of all matches, ascending, as one text: a row each would take ten times as long. */
  function matches({ match, where, values }: Search): Float64Array {
    const from = where === '' ? 'from fts where fts match ?' : fromOf(where);
    const row = database.prepare(`select group_concat(fts.rowid) as ids ${from}`).get(match, ...values);
    return wholeNumbers(String(row?.ids ?? ''));
  }

  /** Scores the matches that are wanted, at most `most` of them and those of equal rank in the order of their ids. */
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

  /** What BM25 and the language can be at the most. */
  function mostOfWords({ query, documents }: Search): number {
    const { preferred = [], weights } = query;
    const phrases = query.must.flatMap((clause) => clause.phrases.map((terms) => phraseMatch(terms, clause.isPrefix)));
    return (
      (preferred.length > 0 ? Math.max(0, weights.language) : 0) +
      phrases.reduce((sum, phrase) => {
        const found = counts.matches(phrase);
        // As FTS5 has it, also where more than half of the documents hold it.
        const frequency = Math.max(Math.log((documents - found + 0.5) / (found + 0.5)), 1e-6);
        return sum + MOST_OF_PHRASE * frequency;
      }, 0)
    );
  }

  /** Pages by rank alone, as of `site:` without a word. */
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

function fromOf(where: string): string {
  return `from fts cross join docs d on d.id = fts.rowid where fts match ?${where}`;
}

/** The score as SQL; {@link rankOfPart} turns its first part around. */
function scoreOf({ weights, preferred = [] }: IndexQuery, documents: number): string {
  const fields = TEXT_COLUMNS.map((field) => real(weights[field])).join();
  const languages = preferred.map((name) => `'${name.replaceAll("'", "''")}'`).join();
  const language =
    languages === '' || weights.language === 0 ? '' : ` + ${real(weights.language)} * (d.language in (${languages}))`;
  return `(${real(weights.rank)} * ln(1 + ${real(documents)} * d.rank) - bm25(fts, ${fields})${language})`;
}

/** The rank at which the second part of the score is so great; -Infinity where every rank will do. */
function rankOfPart(part: number, { weights }: IndexQuery, documents: number): number {
  if (weights.rank === 0) return part > 0 ? Infinity : -Infinity;
  return (Math.exp(part / weights.rank) - 1) / documents;
}

/** The rank that `count` of them have at the least; the lowest of all where there are fewer. */
function rankOfBest(sorted: Float32Array, count: number): number {
  return sorted[Math.max(0, sorted.length - count)] ?? -Infinity;
}

/** A number as SQL reads it. */
function real(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`expected a finite number, found ${value}`);
  return value.toExponential();
}

function hitOf(row: SqlRow): IndexHit {
  const { key, score, language, fetched, modified, rank, simhash } = row;
  return {
    key: String(key),
    score: Number(score),
    language: String(language),
    fetchedAt: Number(fetched),
    modifiedTime: Number(modified),
    rank: Number(rank),
    simhash: String(simhash),
  };
}
