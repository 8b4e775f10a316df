/**
 * Where the bodies of pages are kept. A row holds the location of its body, and the body is stored first: whoever is killed
 * in between leaves a record that no row points at, and no row without its record. A location is never used again.
 */

/** Where a record is. Plain data: it is a field of the row. */
export interface ContentLocation {
  /** The name of the segment, printable ASCII. */
  readonly segment: string;
  /** Bytes from the start of the segment. */
  readonly offset: number;
  /** Bytes of the record as it is stored. */
  readonly length: number;
}

/** Why a body is not whole, in the words of WARC 1.1, section 5.13. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified';

/** An answer with a body. */
export interface ResponseRecord {
  readonly kind: 'response';
  readonly url: string;
  /** When it came, in ms since the epoch. */
  readonly date: number;
  /**
   * The status line and the header lines as received, each ended by CRLF and each byte one character. Absent where the
   * page did not come by HTTP.
   */
  readonly head?: string;
  /** The media type, for a page without `head`. */
  readonly contentType?: string;
  /** The body, transfer and content codings undone. */
  readonly body: Uint8Array;
  readonly truncated?: Truncation;
}

/** An answer that says that a page is as it was (304). */
export interface RevisitRecord {
  readonly kind: 'revisit';
  readonly url: string;
  readonly date: number;
  readonly head?: string;
  /** The record of the body that is still current. */
  readonly refersTo: ContentLocation;
}

/** What a content store takes. */
export type ContentRecord = ResponseRecord | RevisitRecord;

/** A body as it was stored. */
export interface StoredContent {
  readonly url: string;
  readonly body: Uint8Array;
}

/** A record as it was stored, with its headers. */
export interface StoredRecord {
  /** Of the record, names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly block: Uint8Array;
  /** All of the record: headers, block, and the lines that end it. */
  readonly bytes: Uint8Array;
  /** The gzip member that holds it, where it is compressed already. */
  readonly member?: Uint8Array;
}

/** Removes what no row points at; see {@link ContentStore.compaction}. */
export interface Compaction {
  /** First pass: all that rows point at, in any order. What is not named here is not looked for any more. */
  note(locations: readonly ContentLocation[]): void;
  /** Between the passes. false: there is nothing to gain, and no second pass is needed. */
  begin(): Promise<boolean>;
  /**
   * Second pass: the same locations, in order of their rows. Says where each record is from now on: where it was, at a copy
   * that is stored already, or, undefined, nowhere since it cannot be read.
   */
  move(locations: readonly ContentLocation[]): Promise<(ContentLocation | undefined)[]>;
  /** When every row points at the new places: removes the old ones. */
  finish(): Promise<{ readonly segments: number; readonly bytes: number }>;
}

/** A store of records that are never changed. */
export interface ContentStore {
  /**
   * Stores records, in order. They are there when it resolves, also after a kill.
   * @throws CrawlError STORE_FULL, STORE_FAILED, CLOSED; then none of them counts as stored
   */
  append(records: readonly ContentRecord[]): Promise<ContentLocation[]>;
  /** The bodies at these places, in order; undefined where one is missing, cut short or not as it was stored. */
  read(locations: readonly ContentLocation[]): Promise<(StoredContent | undefined)[]>;
  /** As {@link ContentStore.read}, the records with their headers. */
  records(locations: readonly ContentLocation[]): Promise<(StoredRecord | undefined)[]>;
  /** Whether there is something at the place, as far as can be said without reading it. */
  has(location: ContentLocation): Promise<boolean>;
  /** No row points at these any more. They may stay readable until the next compaction. */
  discard(locations: readonly ContentLocation[]): Promise<void>;
  /** Whether more than half of the bytes are known to be discarded, and so many that it is worth while to compact. */
  isMostlyDead(): Promise<boolean>;
  /** Begins a compaction; nothing else may discard or move records until it is finished. */
  compaction(): Promise<Compaction>;
  /** Waits for what is being appended, then frees everything. Calling it again does nothing. */
  close(): Promise<void>;
}

/** Whether two locations are one place. */
export function isSamePlace(a: ContentLocation | undefined, b: ContentLocation | undefined): boolean {
  return a?.segment === b?.segment && a?.offset === b?.offset;
}
