import type { KeyRange } from '../../webtable/index.js';

/** A field of the full text. */
export type IndexField = 'title' | 'headings' | 'anchors' | 'url' | 'text';

/** Holds where one of its phrases, lists of stemmed terms, is in one of its fields. */
export interface Clause {
  readonly phrases: readonly (readonly string[])[];
  /** Default: any. */
  readonly fields?: readonly IndexField[];
  /** The last term of each phrase is the beginning of one. */
  readonly isPrefix?: boolean;
}

/** What is looked for. A query without a clause in `must` finds every page that the rest allows, the highest rank first. */
export interface IndexQuery {
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** Row keys, of which one range must hold the page. */
  readonly sites?: readonly KeyRange[];
  readonly notSites?: readonly KeyRange[];
  /** Languages as documents have them, of which one must be the page's. */
  readonly languages?: readonly string[];
  readonly notLanguages?: readonly string[];
  /** The page last changed, or where that is not known was fetched, at this time or later, in ms since the epoch. */
  readonly from?: number;
  /** The same before this time. */
  readonly to?: number;
  /**
   * All words of the query in their order, once in each of their forms. A page in which those of one list stand near each other
   * scores higher, and one whose title begins with them. Of three words and more a page is a hit as well that has two neighbours of
   * them in its title.
   */
  readonly together?: readonly (readonly string[])[];
  /** A page in one of these languages, as documents have them, scores higher by the weight `language`. */
  readonly preferred?: readonly string[];
  readonly weights: IndexWeights;
  /** At most so many hits. */
  readonly limit: number;
}

/** What a word counts in each field, where 1 is one in the text; and what the rank and the language of a page count beside all words. */
export type IndexWeights = Readonly<Record<IndexField | 'rank' | 'language', number>>;

/** A page that was found. */
export interface IndexHit {
  /** The row key. */
  readonly key: string;
  /** Higher is better. */
  readonly score: number;
  readonly language: string;
  /** When it was last fetched, in ms since the epoch; 0 unknown. */
  readonly fetchedAt: number;
  /** When its content last changed, in ms since the epoch; 0 unknown. */
  readonly modifiedTime: number;
  readonly rank: number;
  /** 16 hex digits; empty for a text of no words. */
  readonly simhash: string;
}

/** What a query found. */
export interface IndexHits {
  /** All pages that match: that hold all clauses. */
  readonly total: number;
  /** Further ones that are among the hits for what they have of `together`. */
  readonly partial: number;
  /** The best, best first; of equal ones the lowest row key first. */
  readonly hits: readonly IndexHit[];
  /** Not every page that could be among the hits was scored. */
  readonly isApproximate: boolean;
}

/** What is known of an index as a whole. */
export interface IndexInfo {
  readonly documents: number;
  /** The name of the tokenizer that made it. */
  readonly words: string;
  /** Documents by language; the empty name is of those where it is not known. */
  readonly languages: Readonly<Record<string, number>>;
  /** On the disk. */
  readonly bytes: number;
  /** When it was last written, in ms since the epoch. */
  readonly changedAt: number;
  /** All pages of the table were brought in once. */
  readonly isWhole: boolean;
}

/**
 * What a search asks of an index. Each rejects with CrawlError NO_INDEX where there is none, WRONG_INDEX where it is that of another
 * table, SEARCH_BUSY where it is not in time, STORE_FAILED where it cannot be read, and with the reason of its signal when that aborts:
 * what waits for its turn is not asked then.
 */
export interface IndexReader {
  info(signal?: AbortSignal): Promise<IndexInfo>;
  search(query: IndexQuery, signal?: AbortSignal): Promise<IndexHits>;
  /** Of how many documents each holds the term: for stop words, and for spelling. */
  documentCounts(terms: readonly string[], signal?: AbortSignal): Promise<number[]>;
  /** Terms of the index that are spelt nearly so, the commonest first. */
  similar(term: string, signal?: AbortSignal): Promise<SimilarTerm[]>;
  close(): Promise<void>;
}

/** A term that is spelt like another. */
export interface SimilarTerm {
  readonly term: string;
  readonly documents: number;
}
