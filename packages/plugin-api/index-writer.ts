/** A page as it is written into a search index. All fields are strings and numbers, so that the page can be passed to threads and processes. */
export interface IndexDocument {
  /** The row key. */
  readonly key: string;
  readonly url: string;
  readonly title: string;
  /** The headings of the page. Each heading is one line. */
  readonly headings: string;
  /** The distinct texts of links to the page. Each text is one line. */
  readonly anchors: string;
  readonly text: string;
  /** The primary part of a BCP 47 tag in lower case, such as `zh`. Empty if the language is unknown. */
  readonly language: string;
  /** When the page was last fetched, in ms since the epoch; 0 if this is unknown. */
  readonly fetchedAt: number;
  /** When the content of the page last changed, in ms since the epoch; 0 if this is unknown. */
  readonly modifiedAt: number;
  /** The PageRank of the page; 0 before `rank` has run. */
  readonly rank: number;
  /** A text that changes if a field changes, except `fetchedAt` and `rank`. */
  readonly fingerprint: string;
}

/**
 * Decides on a page before it is indexed. It is called in the main thread for every page that is indexed, so it must be fast. To reject a
 * page, it returns false or the reason. A result of any other type, such as a promise, counts as a failure and rejects the page.
 */
export type IndexFilter = (
  document: Omit<IndexDocument, 'fingerprint'>,
) => boolean | string | Partial<Omit<IndexDocument, 'key' | 'url' | 'fingerprint'>>;

/** A change of an index. If the same change is made a second time, it has no effect. */
export type IndexChange =
  | { readonly type: 'put'; readonly document: IndexDocument }
  /** Changes only the rank and the fetch time of a document. A missing document is not created. */
  | { readonly type: 'touch'; readonly key: string; readonly rank: number; readonly fetchedAt: number }
  | { readonly type: 'remove'; readonly key: string };

/** The numbers of documents that were changed. Changes without an effect are not counted. */
export interface AppliedChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** The state of a document in an index. */
export type IndexEntry = Pick<IndexDocument, 'key' | 'rank' | 'fetchedAt' | 'fingerprint'>;

/** A search index to which documents are written. */
export interface IndexTarget {
  /**
   * Opens the index. If the index is missing, it is created. The job closes the writer at its end.
   * @param table the unique name of the table whose pages are indexed. Store the name with the documents. Throw if the index has documents
   * of another table. Otherwise this table would remove them, because it does not know their pages.
   */
  open(table: string): Promise<IndexWriter>;
}

/** An index that is open for writing. Only one job writes at a time. */
export interface IndexWriter {
  /**
   * The unique name of this index with its present content. Make a random name when the index is created or emptied, and store it with the
   * documents. The table stores the name of the index that has all its pages. If the names differ, the job first reads the whole table.
   */
  readonly id: string;
  /** Whether all pages of the table were once indexed by the present rules. If not, the job first reads the whole table. */
  readonly isWhole: boolean;
  /** Stores that all pages have been indexed. */
  markWhole(): Promise<void>;
  /**
   * Makes changes. When the promise resolves, all changes are durable. A call has at most one change for each key. The changes of a key are
   * made in the order of the calls.
   */
  apply(changes: readonly IndexChange[]): Promise<AppliedChanges>;
  /**
   * Returns at most `limit` documents in the order of their keys (compared as bytes), from the first key after `after`. undefined: from the
   * first document.
   */
  entries(after: string | undefined, limit: number): Promise<IndexEntry[]>;
  /** Waits until running changes are done, then frees all resources. */
  close(): Promise<void>;
}
