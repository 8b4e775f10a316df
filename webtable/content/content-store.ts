/**
 * The store of page bodies, and of texts. A row holds the locations of both. The body is stored before the row: after a kill in between, a record may
 * exist that no row points at, but every row has its record. A location is never used for another record.
 */

/** Where a record is. The location is plain data, because it is stored in a field of the row. */
export interface ContentLocation {
  /** The name of the segment, printable ASCII. */
  readonly segment: string;
  /** Bytes from the start of the segment. */
  readonly offset: number;
  /** Bytes of the stored record. */
  readonly length: number;
}

/** Why a body is not complete, in the terms of WARC 1.1, section 5.13. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified';

/** An answer with a body. */
export interface ResponseRecord {
  readonly kind: 'response';
  readonly url: string;
  /** When the answer was received, in ms since the epoch. */
  readonly date: number;
  /**
   * The status line and the header lines as received. Each ends with CRLF, and each byte is one character. Absent for a page that was not
   * fetched by HTTP.
   */
  readonly head?: string;
  /** The media type, for a page without `head`. */
  readonly contentType?: string;
  /** The body, with transfer and content codings undone. */
  readonly body: Uint8Array;
  /** The SHA-1 hash of the body, as hex. Absent: it is computed for the record. */
  readonly sha1?: string;
  readonly truncated?: Truncation;
}

/** An answer 304: the page has not changed. */
export interface RevisitRecord {
  readonly kind: 'revisit';
  readonly url: string;
  readonly date: number;
  readonly head?: string;
  /** The record of the body that is still current. */
  readonly refersTo: ContentLocation;
}

/** Data on a page, which is not its body. */
export interface MetadataRecord {
  readonly kind: 'metadata';
  readonly url: string;
  readonly date: number;
  /** The media type of `body`. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The record of the page that the data is about. A number is the index of an earlier record of the same call. */
  readonly refersTo?: ContentLocation | number | undefined;
}

/** A record that a content store can store. */
export type ContentRecord = ResponseRecord | RevisitRecord | MetadataRecord;

/** A body as it was stored. */
export interface StoredContent {
  readonly url: string;
  readonly body: Uint8Array;
}

/** A record as it was stored, with its headers. */
export interface StoredRecord {
  /** The lines in front of the block, as they are stored. */
  readonly headerLines: string;
  /** The headers of the record, with names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly block: Uint8Array;
  /** The whole record: headers, block, and the lines that end it. */
  readonly bytes: Uint8Array;
  /** The gzip member that holds the record, if the record is already compressed. */
  readonly member?: Uint8Array;
}

/** Removes the records that no row points at; see {@link ContentStore.compaction}. */
export interface Compaction {
  /** First pass: call it with all locations that rows point at, in any order. All other records are removed. */
  note(locations: readonly ContentLocation[]): void;
  /** Call it between the passes. If it returns false, the compaction would free no space, and no second pass is needed. */
  begin(): Promise<boolean>;
  /**
   * Second pass: call it with the same locations, in order of their rows. Returns the new location of each record, which is the old
   * location if the record was not copied. undefined: the record cannot be read.
   */
  move(locations: readonly ContentLocation[]): Promise<(ContentLocation | undefined)[]>;
  /** Call it when every row points at the new locations. Removes the old segments. */
  finish(): Promise<{ readonly segments: number; readonly bytes: number }>;
}

/** A store of records that are never changed. */
export interface ContentStore {
  /**
   * Stores records, in order. Once the promise resolves, the records survive a kill.
   * @throws CrawlError STORE_FULL, STORE_FAILED, CLOSED; after an error, assume that no record was stored
   */
  append(records: readonly ContentRecord[]): Promise<ContentLocation[]>;
  /** Reads the bodies at these locations, in order. A body that is missing, cut short or damaged is undefined. */
  read(locations: readonly ContentLocation[]): Promise<(StoredContent | undefined)[]>;
  /** Like {@link ContentStore.read}, but returns whole records, with their headers. */
  records(locations: readonly ContentLocation[]): Promise<(StoredRecord | undefined)[]>;
  /**
   * Like {@link ContentStore.records}, but yields one record after another. The bytes of a record are valid until the next one is
   * requested.
   */
  stream(locations: readonly ContentLocation[]): AsyncGenerator<StoredRecord | undefined, undefined>;
  /** Whether a record is at the location, as far as the store can tell without reading the record. */
  has(location: ContentLocation): Promise<boolean>;
  /** Tells the store that no row points at these locations now. The bodies may stay readable until the next compaction. */
  discard(locations: readonly ContentLocation[]): Promise<void>;
  /** Whether a compaction is worth its cost: the counted discarded bytes are more than half of all bytes, and more than a minimum. */
  isMostlyDead(): Promise<boolean>;
  /** Begins a compaction. Until it is finished, nothing else may discard or move records. */
  compaction(): Promise<Compaction>;
  /**
   * Links all stored files into a new folder of the same file system. Files in the new folder never change. Only a store of files has this
   * method.
   */
  stage?(folder: string): Promise<void>;
  /** Waits for running appends, then frees all resources. Calling it again does nothing. */
  close(): Promise<void>;
}

/** Whether two locations are equal. */
export function isSameLocation(a: ContentLocation | undefined, b: ContentLocation | undefined): boolean {
  return a?.segment === b?.segment && a?.offset === b?.offset;
}
