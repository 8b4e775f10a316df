import type { IndexDocument, KeyRange } from '../core/index.js';

export type IndexField = 'title' | 'headings' | 'anchors' | 'url' | 'text';
/** `names` has a term for each name of the page, by which only clauses for this field find the page. It adds nothing to the score. */
export type StoredField = IndexField | 'names';

/** A condition on pages: one of the fields must contain one of the phrases, or all of the pairs. A phrase is a list of stemmed terms. */
export interface Clause {
  readonly phrases: readonly (readonly string[])[];
  /** Longer phrases that begin with one of `phrases`. They find no other page, but a page with them scores higher. Default: none. */
  readonly longer?: readonly (readonly string[])[];
  /** Terms that find a page which contains the typed text letter for letter. Default: none. */
  readonly pairs?: readonly string[];
  /** The fields to search. Default: all fields but `names`. */
  readonly fields?: readonly StoredField[];
  readonly isPrefix?: boolean;
}

/**
 * A question to an index. Without a clause in `must`, the question finds every page that meets the other conditions, the highest rank
 * first.
 */
export interface IndexQuery {
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** Ranges of row keys. The page must be in one of them. */
  readonly sites?: readonly KeyRange[];
  readonly notSites?: readonly KeyRange[];
  /** Language codes, as in the `language` field of documents. The page must have one of them. */
  readonly languages?: readonly string[];
  readonly notLanguages?: readonly string[];
  /**
   * The page must have last changed at this time or later, in ms since the epoch. If the time of the change is unknown, the time of the
   * last fetch is compared.
   */
  readonly from?: number;
  /** The page must have last changed before this time, in ms since the epoch. */
  readonly to?: number;
  /**
   * Lists of all words of the query, in the order of the query. Each list has one form of each word. A page scores higher if the words of a
   * list are close together, or if its title begins with these words. With three or more words, a page with two neighbouring words in its
   * title is a hit too.
   */
  readonly together?: readonly (readonly string[])[];
  /**
   * Clauses for the pages that contain the typed text letter for letter: one for each pair of its characters. A page that meets all of
   * these is a hit too, and scores higher. An index may ignore these clauses if very many pages match. Default: none.
   */
  readonly literal?: readonly Clause[];
  /** Language codes, as in the `language` field of documents. A page that has one of them scores higher by the weight `language`. */
  readonly preferred?: readonly string[];
  readonly weights: IndexWeights;
  readonly limit: number;
}

/** The weight of a word in each field, and the weights of rank and language of a page. A word in the text has the weight 1. */
export type IndexWeights = Readonly<Record<IndexField | 'rank' | 'language', number>>;

export interface IndexHit extends Pick<IndexDocument, 'key' | 'language' | 'fetchedAt' | 'modifiedAt' | 'rank'> {
  /** The title as it was indexed, at most 200 characters; empty: the page has no title. Untrusted. */
  readonly title: string;
  readonly score: number;
  /** Simhash of the text, 16 hex digits; empty for a text without words. */
  readonly simhash: string;
}

export interface IndexHits {
  /** Number of pages that meet all clauses of `must`, or all of `literal`. */
  readonly total: number;
  /** Number of other pages that are hits only because of `together`. */
  readonly partial: number;
  /** The best pages, best first. Pages with equal scores are in the order of their row keys. */
  readonly hits: readonly IndexHit[];
  /** Whether a better page may be missing, because not all matching pages were scored. */
  readonly isApproximate: boolean;
}

/** Figures of a whole index. */
export interface IndexInfo {
  readonly documents: number;
  /** The name of the tokenizer that made the index. */
  readonly words: string;
  /** Number of documents by language; the empty name means that the language is unknown. */
  readonly languages: Readonly<Record<string, number>>;
  /** Size of the index on disk, in bytes. */
  readonly bytes: number;
  /** When the index was last written, in ms since the epoch. */
  readonly changedAt: number;
  /** Whether the index was complete once, with all pages of the table. */
  readonly isWhole: boolean;
}

/**
 * The questions of a search to an index. Each question rejects with CrawlError NO_INDEX when there is no index, WRONG_INDEX for the index
 * of another table, SEARCH_BUSY when there is no response in time, and STORE_FAILED when the index cannot be read. If the signal of a
 * question aborts, the question rejects with the reason of the signal, and a question that waits is not started.
 */
export interface IndexReader {
  info(signal?: AbortSignal): Promise<IndexInfo>;
  search(query: IndexQuery, signal?: AbortSignal): Promise<IndexHits>;
  /** Returns the number of documents with each term. The numbers are used for common words and for spelling. */
  documentCounts(terms: readonly string[], signal?: AbortSignal): Promise<number[]>;
  /** Terms of the index with a similar spelling, the most frequent first. */
  similar(term: string, signal?: AbortSignal): Promise<SimilarTerm[]>;
  close(): Promise<void>;
}

export interface SimilarTerm {
  readonly term: string;
  readonly documents: number;
}
