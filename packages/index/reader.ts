/** A field of the full text. */
export type IndexField = 'title' | 'headings' | 'anchors' | 'url' | 'text';

/** Holds where one of its phrases, lists of stemmed terms, is in one of its fields. */
export interface Clause {
  readonly phrases: readonly (readonly string[])[];
  /** Default: any. */
  readonly fields?: readonly IndexField[];
}

/** What is looked for. */
export interface IndexQuery {
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** Hosts, of which one must be the page's. */
  readonly sites?: readonly string[];
  readonly notSites?: readonly string[];
  /** Languages, of which one must be the page's. */
  readonly languages?: readonly string[];
  /** The page was last fetched at this time or later, in ms since the epoch. */
  readonly from?: number;
  /** The page was last fetched before this time, in ms since the epoch. */
  readonly to?: number;
  readonly weights: Readonly<Record<IndexField | 'rank', number>>;
  /** At most so many hits. */
  readonly limit: number;
}

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
}

/** What a search asks of an index. */
export interface IndexReader {
  info(): Promise<IndexInfo>;
  search(query: IndexQuery): Promise<{ readonly total: number; readonly hits: readonly IndexHit[] }>;
  /** Of how many documents each holds the term: for stop words, and for spelling. */
  documentCounts(terms: readonly string[]): Promise<number[]>;
  /** Terms of the index that are spelt nearly so. */
  similar(term: string): Promise<{ readonly term: string; readonly documents: number }[]>;
  /** Terms of the index that begin so, commonest first. */
  complete(prefix: string): Promise<string[]>;
  close(): Promise<void>;
}
