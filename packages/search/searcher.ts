import type { Settings, Tables } from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import type { Clause, IndexHits, IndexInfo, IndexReader, IndexWeights, Words } from '../index/index.js';
import { askIndex, languagesOf, narrowing, type Answer, type AskOptions } from './ask-index.js';
import { respell } from './did-you-mean.js';
import { parseQuery, type ParsedQuery } from './query/parse-query.js';
import { explainNotice, type SearchNotice } from './query/notices.js';
import { planQuery } from './query/plan-query.js';
import { queryText } from './query/query-text.js';
import { foldHits, type FoldedHit } from './results/fold-hits.js';
import { hitSites, type HitSite } from './results/hit-sites.js';
import { plainLine } from './results/plain-text.js';
import { createHitReader, type SearchHit } from './read-hits.js';
import { createReadBudget, rowShare, type ReadBudget } from './read-budget.js';
import { completions } from './suggest.js';
import { MAX_HITS } from './max-hits.js';

/** Options of a search. */
export interface SearchOptions {
  /** The page of results, from 1 on. Default: 1. */
  readonly page?: number;
  /** Number of hits on a page, from 1 to 100. Default: 10. */
  readonly limit?: number;
  /** Fold pages with nearly the same text, and more pages of a host after the second one. Default: true. */
  readonly fold?: boolean;
  /**
   * Languages that the user knows, such as `de`, the best one first. The first one that the index has, and in which the query may be
   * written, is preferred. Pages in the preferred language score higher by `search.languageBoost`. Default: unknown.
   */
  readonly languages?: readonly string[];
  /** When the signal is aborted, the search ends. */
  readonly signal?: AbortSignal;
}

/** The result of a search. */
export interface SearchResult {
  /**
   * Number of pages with all words. With the notice `some_words`, the number of pages with some of the words. Only the best 100 pages can
   * be requested.
   */
  readonly total: number;
  readonly page: number;
  /** Number of pages of hits. */
  readonly pages: number;
  readonly hits: readonly SearchHit[];
  /**
   * The sites of the best 100 hits, to choose one by `site:`: hosts; or, if there is only one host, folders of it. Absent: all hits are in
   * one place.
   */
  readonly sites?: readonly HitSite[];
  /** A query with another spelling that finds more pages. */
  readonly didYouMean?: string;
  /** Notices on parts of the query that were not searched. */
  readonly notices: readonly SearchNotice[];
  /** Set if not all matching pages were scored, because there are too many. A good page may then be missing. */
  readonly isApproximate?: true;
  readonly seconds: number;
}

/** Answers queries until the searcher is closed. */
export interface Searcher extends AsyncDisposable {
  /**
   * Searches. Any text is a valid query.
   * @throws CrawlError USAGE for a wrong page or limit, NO_INDEX, WRONG_INDEX, SEARCH_BUSY
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Returns at most ten completions of a query. Words of titles complete the last word of the query. Words of the best pages come first.
   * @param signal when it is aborted, the call ends
   */
  suggest(prefix: string, signal?: AbortSignal): Promise<string[]>;
  /** Figures of the index. */
  info(): Promise<IndexInfo>;
  /** Ends the thread of the searcher. Running queries reject with CLOSED. */
  close(): Promise<void>;
}

interface SearchInput {
  readonly pages: Pick<Tables['pages'], 'getMany'>;
  readonly settings: Pick<Settings, 'search' | 'parser'>;
  readonly reader: IndexReader;
  readonly words: Words;
  /** The budget for every search and suggestion. Default: a new budget for this searcher alone. */
  readonly budget?: ReadBudget;
}

export const HITS_PER_PAGE = 10;
const MIN_HITS = 3;
const INFO_MAX_AGE_MS = 5000;
/** Bytes of memory for a suggestion: hits of the index, with their titles. */
const SUGGESTION_BYTES = 2 ** 20;
/**
 * An incomplete word is searched in titles by this number of first letters, because the stem in the index may be shorter than the typed
 * text.
 */
const STEM_LETTERS = 5;

/** Makes a searcher. Closing the searcher also closes the reader. */
export function createSearcher(input: SearchInput): Searcher {
  const { pages, settings, reader, words, budget = createReadBudget() } = input;
  const share = rowShare(settings);
  const rows = createHitReader({ pages, words, rowsAtOnce: share.rows });
  let known: { readonly info: IndexInfo; readonly at: number } | undefined;

  async function currentInfo(signal?: AbortSignal): Promise<IndexInfo> {
    if (!known || known.info.documents === 0 || performance.now() - known.at > INFO_MAX_AGE_MS)
      known = { info: await reader.info(signal), at: performance.now() };
    return known.info;
  }

  async function search(text: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { page = 1, limit = HITS_PER_PAGE, signal } = options;
    checkNumber('page', page, Number.MAX_SAFE_INTEGER);
    checkNumber('limit', limit, MAX_HITS);
    return budget.run(share.bytes, () => searchNow(text, { ...options, page, limit }), signal);
  }

  async function searchNow(
    text: string,
    {
      page,
      limit,
      fold = true,
      languages = [],
      signal,
    }: SearchOptions & { readonly page: number; readonly limit: number },
  ): Promise<SearchResult> {
    const began = performance.now();
    const parsed = parseQuery(text);
    const info = await currentInfo(signal);
    signal?.throwIfAborted();
    const asked = readerUntil(reader, signal);
    const { found: indexed, plan, terms } = await find(asked, parsed, info, { spoken: languages });
    signal?.throwIfAborted();
    const fromTo = [(page - 1) * limit, page * limit] as const;
    let found: Pick<Answer['found'], 'hits' | 'total' | 'isApproximate'> = indexed;
    let shown = foldedOf(found.hits, fold, limit);
    let hits = await rows.read(shown.slice(...fromTo), parsed, terms, signal);
    if (hits.length < shown.slice(...fromTo).length) {
      // The index may still have pages that were removed from the table. Hits without a row are left out.
      found = await withoutRemoved(indexed, rows.areThere);
      shown = foldedOf(found.hits, fold, limit);
      hits = await rows.read(shown.slice(...fromTo), parsed, terms, signal);
    }
    const sites = hitSites(found.hits.map(({ key }) => key));
    const holdAll = plan.notices.some(({ code }) => code === 'some_words') ? 0 : found.total;
    const didYouMean = holdAll < MIN_HITS && page === 1 ? await otherSpelling(asked, parsed, holdAll, info) : undefined;
    return {
      total: found.total,
      page,
      pages: Math.ceil(shown.length / limit),
      hits,
      ...(sites.length > 0 && { sites }),
      ...(didYouMean !== undefined && { didYouMean }),
      notices: [...plan.notices, ...(info.isWhole ? [] : [{ code: 'index_incomplete' as const }])].map(explainNotice),
      ...(found.isApproximate && { isApproximate: true as const }),
      seconds: (performance.now() - began) / 1000,
    };
  }

  function find(
    asked: AskedReader,
    parsed: ParsedQuery,
    info: IndexInfo,
    how: Pick<AskOptions, 'isStrict' | 'spoken'>,
  ): Promise<Answer> {
    const { commonWords } = settings.search;
    return askIndex(parsed, {
      reader: asked,
      words,
      info,
      weights: weightsOf(settings),
      commonWords,
      limit: MAX_HITS,
      ...how,
    });
  }

  /** Returns the query with another spelling, if that query finds more pages. The new words in the query are words of pages, not stems. */
  async function otherSpelling(
    asked: AskedReader,
    parsed: ParsedQuery,
    total: number,
    info: IndexInfo,
  ): Promise<string | undefined> {
    const respelt = await respell(parsed, {
      reader: asked,
      words,
      languages: languagesOf(info, parsed),
      documents: info.documents,
    });
    if (!respelt) return undefined;
    const { found: others } = await find(asked, { ...parsed, parts: respelt.parts }, info, { isStrict: true });
    if (others.total <= total) return undefined;
    const forms = await rows.formsOf(respelt.terms, others);
    const parts = respelt.parts.map((part) => {
      const changed = respelt.terms.reduce((all, term) => all.replace(term, forms.get(term) ?? term), part.text);
      return { ...part, text: changed };
    });
    return queryText({ ...parsed, parts });
  }

  async function suggestNow(parsed: ParsedQuery, prefix: string, signal: AbortSignal | undefined): Promise<string[]> {
    const info = await currentInfo(signal);
    signal?.throwIfAborted();
    const plan = planQuery(parsed, { words, languages: languagesOf(info, parsed), isPrefix: true });
    if (plan.must.length === 0) return [];
    const must = plan.must.map(({ clause }) => ({
      ...(clause.isPrefix ? shortened(clause) : clause),
      fields: ['title' as const],
    }));
    const { mustNot } = plan;
    const weights = weightsOf(settings);
    const { hits } = await reader.search({ ...narrowing(parsed), must, mustNot, weights, limit: MAX_HITS }, signal);
    return completions(
      plainLine(prefix),
      hits.map(({ title }) => title),
      words,
    );
  }

  return {
    search,
    async suggest(prefix, signal) {
      const parsed = parseQuery(prefix);
      if (!endsInWord(parsed, prefix)) return [];
      return budget.run(SUGGESTION_BYTES, () => suggestNow(parsed, prefix, signal), signal);
    },
    info: () => reader.info(),
    close: () => reader.close(),
    [Symbol.asyncDispose]: () => reader.close(),
  };
}

function foldedOf(hits: IndexHits['hits'], fold: boolean, limit: number): readonly FoldedHit[] {
  return fold ? foldHits(hits, limit) : hits.map((hit) => ({ hit, alike: 0, moreFromHost: 0 }));
}

/** Removes hits whose pages are no longer in the table. The total is reduced by the same share, because not all hits can be checked. */
async function withoutRemoved(
  { hits, total }: Pick<IndexHits, 'hits' | 'total'>,
  areThere: (keys: readonly string[]) => Promise<readonly boolean[]>,
): Promise<Pick<IndexHits, 'hits' | 'total' | 'isApproximate'>> {
  const there = await areThere(hits.map(({ key }) => key));
  const left = hits.filter((_, i) => there[i]);
  const isAll = total <= hits.length;
  return {
    hits: left,
    total: isAll ? left.length : Math.round((total * left.length) / hits.length),
    isApproximate: !isAll,
  };
}

type AskedReader = Pick<IndexReader, 'search' | 'documentCounts' | 'similar'>;

/** Makes the reader for one client. When the signal is aborted, questions that still wait are dropped. */
function readerUntil(reader: IndexReader, signal: AbortSignal | undefined): AskedReader {
  return {
    search: (query) => reader.search(query, signal),
    documentCounts: (terms) => reader.documentCounts(terms, signal),
    similar: (term) => reader.similar(term, signal),
  };
}

export function weightsOf({ search }: Pick<Settings, 'search'>): IndexWeights {
  return {
    title: search.weightTitle,
    headings: search.weightHeadings,
    anchors: search.weightAnchors,
    url: search.weightUrl,
    text: search.weightText,
    rank: search.weightRank,
    language: search.languageBoost,
  };
}

/** Whether an incomplete query ends in a part with a word. Only such a part can be completed. */
function endsInWord({ parts }: ParsedQuery, prefix: string): boolean {
  const last = parts.at(-1);
  return last !== undefined && !last.isExcluded && /[\p{L}\p{N}]$/u.test(prefix) && prefix.endsWith(last.text);
}

/** Shortens the last word of a clause to its first letters, with which the stem of the word begins too. */
function shortened(clause: Clause): Clause {
  const phrases = clause.phrases.map((terms) =>
    terms.map((term, i) => (i === terms.length - 1 ? term.slice(0, STEM_LETTERS) : term)),
  );
  return { ...clause, phrases };
}

function checkNumber(name: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${most}`;
  throw new CrawlError('USAGE', `expected a ${name} that is a whole number ${range}, found ${String(value)}`);
}
