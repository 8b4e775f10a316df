/** A page as it goes into a search index: plain strings and numbers, so that it can cross threads and processes. */
export interface IndexDocument {
  /** The row key. */
  readonly key: string;
  readonly url: string;
  readonly title: string;
  /** The headings of the page, a line each. */
  readonly headings: string;
  /** The distinct texts of links to the page, a line each. */
  readonly anchors: string;
  readonly text: string;
  /** The primary part of a BCP 47 tag in lower case, such as `zh`; empty where it is not known. */
  readonly language: string;
  /** When it was last fetched, in ms since the epoch; 0 where that is not known. */
  readonly fetchedAt: number;
  /** When its content last changed as far as known, in ms since the epoch; 0 where that is not known. */
  readonly modifiedTime: number;
  /** Its PageRank; 0 before `rank` has run. */
  readonly rank: number;
  /** Differs where anything of the document but `fetchedAt` and `rank` differs. */
  readonly fingerprint: string;
}

/** Decides on a page before it is indexed. It is called in the main thread for every page that is to be in the index, so be quick. It refuses the page by false or a reason; an answer of any other type, also a promise, refuses it as a failure. */
export type IndexFilter = (
  document: Omit<IndexDocument, 'fingerprint'>,
) => boolean | string | Partial<Omit<IndexDocument, 'key' | 'url' | 'fingerprint'>>;

/** A change of an index. Applying it again changes nothing. */
export type IndexChange =
  | { readonly type: 'put'; readonly document: IndexDocument }
  /** All else of the document is as it was. One that is not there stays away. */
  | { readonly type: 'touch'; readonly key: string; readonly rank: number; readonly fetchedAt: number }
  | { readonly type: 'remove'; readonly key: string };

/** What came of changes. Those that changed nothing are not counted. */
export interface AppliedChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** What an index says of a document that it holds. */
export interface IndexEntry {
  readonly key: string;
  readonly rank: number;
  readonly fetchedAt: number;
  readonly fingerprint: string;
}

/** Where documents go. */
export interface IndexTarget {
  /**
   * Opens it, and makes it where it is missing. It is closed at the end of the job.
   * @param table names the table whose pages come in, unlike any other. Keep it with the documents, and throw where they are of
   *   another: each table would remove the documents of the other as superfluous
   */
  open(table: string): Promise<IndexWriter>;
}

/** An index that is open for writing. One job at a time writes it. */
export interface IndexWriter {
  /**
   * Names this index and what it holds, unlike any other: made at random when the index is made or emptied, and kept with the documents.
   * The table notes which index has all of its pages; where that is another one, the job walks the whole table first.
   */
  readonly id: string;
  /** Whether all pages of the table were brought in once, by the rules of now. Otherwise the job walks the whole table first. */
  readonly isWhole: boolean;
  /** Notes that all pages have been brought in. */
  markWhole(): Promise<void>;
  /** All of it is durable when this resolves. Changes of one key come in order, and at most one of each key in a call. */
  apply(changes: readonly IndexChange[]): Promise<AppliedChanges>;
  /** The documents from after this key on (undefined: from the first), in order of their keys as bytes, at most `limit`. */
  entries(after: string | undefined, limit: number): Promise<IndexEntry[]>;
  /** Frees what it holds, after what is under way. */
  close(): Promise<void>;
}
