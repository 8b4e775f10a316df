import type { Settings } from '../../config/index.js';
import { urlOf, type Tables } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { Clause, IndexHits, IndexInfo, IndexReader, IndexWeights, Words } from '../index/index.js';
import { askIndex, languagesOf, narrowing, type Answer } from './ask-index.js';
import { respell } from './did-you-mean.js';
import { parseQuery, type ParsedQuery } from './query/parse-query.js';
import { explainNotice, type SearchNotice } from './query/notices.js';
import { planQuery } from './query/plan-query.js';
import { queryText } from './query/query-text.js';
import { foldHits, type FoldedHit } from './results/fold-hits.js';
import { plainLine, shortLine } from './results/plain-text.js';
import { SHOWN_FIELDS, shownText } from './results/shown-text.js';
import { makeSnippet, withoutTitle, type SnippetPart } from './results/snippet.js';
import { completions } from './suggest.js';
import { MAX_HITS } from './max-hits.js';

/** How to search. */
export interface SearchOptions {
  /** From 1. Default: 1. */
  readonly page?: number;
  /** Hits a page, 1 to 100. Default: 10. */
  readonly limit?: number;
  /** Fold pages with nearly the same text, and more than two of a host. Default: true. */
  readonly fold?: boolean;
  /** Ends the search. */
  readonly signal?: AbortSignal;
}

/** A page that was found. URL, title and snippet are untrusted plain text: nothing in them is escaped. */
export interface SearchHit {
  readonly url: string;
  /** Of a page without a title, its URL. */
  readonly title: string;
  /** Empty where the page asks that none be shown. */
  readonly snippet: readonly SnippetPart[];
  /** BCP 47, as the index knows it; empty where it is not known. */
  readonly language: string;
  /** In ms since the epoch; 0 where it is not known. */
  readonly fetchedAt: number;
  /** When its content last changed, in ms since the epoch; 0 where it is not known. */
  readonly modifiedTime: number;
  readonly score: number;
  /** Its PageRank; 0 before `rank` has run. */
  readonly rank: number;
  /** So many pages with nearly the same text are folded behind it. */
  readonly alike?: number;
  /** So many further pages of its host are folded behind it; {@link hostQuery} and `fold: false` show them. */
  readonly moreFromHost?: number;
  /** The query for the pages of its host alone, where more of them are folded. */
  readonly hostQuery?: string;
}

/** What a search found. */
export interface SearchResult {
  /** Pages that hold all words; with the notice `some_words`, that hold some of them. At most the best 100 can be seen. */
  readonly total: number;
  readonly page: number;
  /** Pages of hits that there are. */
  readonly pages: number;
  readonly hits: readonly SearchHit[];
  /** A query in another spelling that finds more. */
  readonly didYouMean?: string;
  /** What of the query was not looked for. */
  readonly notices: readonly SearchNotice[];
  /** Not every page that could be among the best was scored, as very many match: a good one may be missing. */
  readonly isApproximate?: true;
  readonly seconds: number;
}

/** Answers queries, until it is closed. */
export interface Searcher extends AsyncDisposable {
  /**
   * Searches. Any text is a query.
   * @throws CrawlError USAGE for a page or limit that is none, NO_INDEX, WRONG_INDEX, SEARCH_BUSY
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * At most ten queries that begin as this one, its last word completed by words of titles, those of the best pages
   * first.
   * @param signal ends it
   */
  suggest(prefix: string, signal?: AbortSignal): Promise<string[]>;
  /** What is known of the index. */
  info(): Promise<IndexInfo>;
  /** Ends its thread. Queries under way are refused with CLOSED. */
  close(): Promise<void>;
}

/** What a search works on. */
export interface SearchInput {
  readonly pages: Pick<Tables['pages'], 'getMany'>;
  readonly settings: Pick<Settings, 'search'>;
  readonly reader: IndexReader;
  readonly words: Words;
}

/** Hits a page. */
export const HITS_A_PAGE = 10;
/** Of a title, and of a URL that stands for one. */
const MAX_TITLE = 200;
/** A query with fewer hits is looked at for other spellings. */
const FEW = 3;
/** What is known of languages and documents is asked for anew after so many ms. */
const INFO_GOOD_FOR = 5000;
/** Letters of a word under way by which titles are looked for: its stem may be shorter than what is typed. */
const STEM_LETTERS = 5;

/** Makes what answers queries. Closing it closes the reader. */
export function createSearcher(input: SearchInput): Searcher {
  const { pages, settings, reader, words } = input;
  let known: { readonly info: IndexInfo; readonly at: number } | undefined;

  async function currentInfo(signal?: AbortSignal): Promise<IndexInfo> {
    if (!known || known.info.documents === 0 || performance.now() - known.at > INFO_GOOD_FOR)
      known = { info: await reader.info(signal), at: performance.now() };
    return known.info;
  }

  async function search(text: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { page = 1, limit = HITS_A_PAGE, fold = true, signal } = options;
    checkNumber('page', page, Number.MAX_SAFE_INTEGER);
    checkNumber('limit', limit, MAX_HITS);
    const began = performance.now();
    const parsed = parseQuery(text);
    const info = await currentInfo(signal);
    signal?.throwIfAborted();
    const asked = readerUntil(reader, signal);
    const { found, plan, terms } = await find(asked, parsed, info);
    signal?.throwIfAborted();
    const shown = fold ? foldHits(found.hits, limit) : found.hits.map((hit) => ({ hit, alike: 0, moreFromHost: 0 }));
    const some = shown.slice((page - 1) * limit, page * limit);
    const hits = await readHits(some, parsed, terms, signal);
    const holdAll = plan.notices.some(({ code }) => code === 'some_words') ? 0 : found.total;
    const didYouMean = holdAll < FEW && page === 1 ? await otherSpelling(asked, parsed, holdAll, info) : undefined;
    return {
      total: found.total,
      page,
      pages: Math.ceil(shown.length / limit),
      hits,
      ...(didYouMean !== undefined && { didYouMean }),
      notices: [...plan.notices, ...(info.isWhole ? [] : [{ code: 'index_incomplete' as const }])].map(explainNotice),
      ...(found.isApproximate && { isApproximate: true as const }),
      seconds: (performance.now() - began) / 1000,
    };
  }

  function find(asked: AskedReader, parsed: ParsedQuery, info: IndexInfo, isStrict = false): Promise<Answer> {
    const { commonWords } = settings.search;
    return askIndex(parsed, {
      reader: asked,
      words,
      info,
      weights: weightsOf(settings),
      commonWords,
      limit: MAX_HITS,
      isStrict,
    });
  }

  /** Reads what is shown of the pages. A page that the table has no more is left out. */
  async function readHits(
    some: readonly FoldedHit[],
    parsed: ParsedQuery,
    terms: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<SearchHit[]> {
    const rows = await pages.getMany(
      some.map(({ hit }) => hit.key),
      ['title', 'text', ...SHOWN_FIELDS],
    );
    const hits: SearchHit[] = [];
    for (const [i, { hit, alike, moreFromHost }] of some.entries()) {
      const row = rows[i];
      if (!row) continue;
      signal?.throwIfAborted();
      const { key, language, fetchedAt, modifiedTime, score, rank } = hit;
      const url = urlOf(key);
      const title = shortLine(row.title ?? '', MAX_TITLE);
      const text = withoutTitle(row.text ?? '', (row.title ?? '').trim());
      const snippet = await makeSnippet(text, {
        words,
        language: language === '' ? undefined : language,
        terms,
        most: shownText(row).snippet,
        signal,
      });
      hits.push({
        url,
        title: title === '' ? shortLine(url, MAX_TITLE) : title,
        snippet,
        language,
        fetchedAt,
        modifiedTime,
        score,
        rank,
        ...(alike > 0 && { alike }),
        ...(moreFromHost > 0 && { moreFromHost, hostQuery: queryText(ofHost(parsed, new URL(url).hostname)) }),
      });
    }
    return hits;
  }

  /** The query in another spelling, where that finds more. Its words are shown as a page has them, not as their stems. */
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
    const { found: others } = await find(asked, { ...parsed, parts: respelt.parts }, info, true);
    if (others.total <= total) return undefined;
    const forms = await formsOf(respelt.terms, others);
    const parts = respelt.parts.map((part) => {
      const changed = respelt.terms.reduce((all, term) => all.replace(term, forms.get(term) ?? term), part.text);
      return { ...part, text: changed };
    });
    return queryText({ ...parsed, parts });
  }

  /** For each stem a word of the best pages that has it. */
  async function formsOf(terms: readonly string[], { hits }: IndexHits): Promise<ReadonlyMap<string, string>> {
    const forms = new Map<string, string>();
    const some = hits.slice(0, 3);
    const rows = await pages.getMany(
      some.map(({ key }) => key),
      ['title', 'text'],
    );
    for (const [i, row] of rows.entries()) {
      const language = some[i]!.language === '' ? undefined : some[i]!.language;
      for (const word of words.split(`${row?.title ?? ''}\n${(row?.text ?? '').slice(0, 20_000)}`, language)) {
        const stem = words.stem(word.term, language);
        if (terms.includes(stem) && !forms.has(stem)) forms.set(stem, word.term);
      }
    }
    return forms;
  }

  return {
    search,
    async suggest(prefix, signal) {
      const parsed = parseQuery(prefix);
      if (!endsInWord(parsed, prefix)) return [];
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
      signal?.throwIfAborted();
      const rows = await pages.getMany(
        hits.map(({ key }) => key),
        ['title'],
      );
      return completions(
        plainLine(prefix),
        rows.flatMap((row) => (row?.title === undefined ? [] : [row.title.slice(0, MAX_TITLE)])),
        words,
      );
    },
    info: () => reader.info(),
    close: () => reader.close(),
    [Symbol.asyncDispose]: () => reader.close(),
  };
}

type AskedReader = Pick<IndexReader, 'search' | 'documentCounts' | 'similar'>;

/** The reader for one client: once the signal aborts, what still waits is not asked. */
function readerUntil(reader: IndexReader, signal: AbortSignal | undefined): AskedReader {
  return {
    search: (query) => reader.search(query, signal),
    documentCounts: (terms) => reader.documentCounts(terms, signal),
    similar: (term) => reader.similar(term, signal),
  };
}

/** The weights of the settings. */
export function weightsOf({ search }: Pick<Settings, 'search'>): IndexWeights {
  return {
    title: search.weightTitle,
    headings: search.weightHeadings,
    anchors: search.weightAnchors,
    url: search.weightUrl,
    text: search.weightText,
    rank: search.weightRank,
    language: search.weightLanguage,
  };
}

/** Whether a query that is being typed ends in a part that has a word: nothing else of it can be completed. */
function endsInWord({ parts }: ParsedQuery, prefix: string): boolean {
  const last = parts.at(-1);
  return last !== undefined && !last.isExcluded && /[\p{L}\p{N}]$/u.test(prefix) && prefix.endsWith(last.text);
}

/** The query for pages of one host: in place of the sites that it names. */
function ofHost(parsed: ParsedQuery, host: string): ParsedQuery {
  const others = parsed.operators.filter(({ name, isExcluded }) => name !== 'site' || isExcluded);
  return { ...parsed, operators: [...others, { name: 'site', value: host, isExcluded: false }] };
}

/** Of the last word only what its stem begins with too. */
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
