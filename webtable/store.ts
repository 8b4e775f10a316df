import type { ContentStore } from './content/content-store.js';
import type { TableName } from './schema.js';

/**
 * What a store must be able to do to hold the tables. An implementation promises no more than this, and no job relies
 * on more, so that a store spread over many machines can keep the same promises as one file.
 *
 * - Rows of a table come in byte order of their keys. Keys are ASCII without NUL, so byte order is string order.
 * - One row change is atomic: all of its cells are seen, or none, also after the process was killed.
 * - Nothing is promised across rows: when {@link Store.write} fails, any of its changes may have been made.
 * - The cells of a row come in order of their columns.
 * - A scan sees every row whole, as it was at one moment no earlier than the start of the scan.
 */

/** `family:qualifier`, for instance `m:st`. */
export type Column = `${string}:${string}`;

/** One column, a whole family (`m`), or every column that starts so (`l:i:*`). */
export type ColumnSelector = string;

/** Keys from `start` (included) to `end` (left out). An absent end is the end of the table. */
export interface KeyRange {
  readonly start: string;
  readonly end?: string;
}

/** A row as stored: only the cells that were asked for and exist; never without a cell, unless it is `damaged`. */
export interface StoredRow {
  readonly key: string;
  readonly cells: ReadonlyMap<string, Uint8Array>;
  /** Differs after every change of the row; only of a store that has {@link Store.writeUnchanged}. */
  readonly version?: string;
  /**
   * Says what could not be read; the cells it held are missing here, and stay in the store as they are. Parts are
   * separated by `; `, and each begins with the name of its family and a colon.
   */
  readonly damaged?: string;
}

/** What to change in one row. Columns not named stay as they are. Deleting what is absent is no error. */
export interface RowChange {
  readonly key: string;
  readonly put?: ReadonlyMap<Column, Uint8Array>;
  readonly delete?: readonly Column[];
  /** Removes every cell of the row first; `put` then holds all that is left. */
  readonly clear?: boolean;
}

/** Which rows of a table to read, and what of them. */
export interface ScanOptions {
  /** Read one after the other, as given. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly columns: readonly ColumnSelector[];
  /** At most this many rows over all ranges. */
  readonly limit?: number;
}

/** Where the tables are kept; the promises are at the head of this file. */
export interface Store {
  /** The rows of these keys, in the order asked; undefined where a row has none of the columns. Nobody may change their bytes. */
  get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]>;
  /** Rows in key order within each range. Ending the iteration early frees what it holds. */
  scan(table: TableName, options: ScanOptions): AsyncIterable<StoredRow>;
  /** Makes the changes in the order given; two changes of one row in one call are allowed. */
  write(table: TableName, changes: readonly RowChange[]): Promise<void>;
  /** The folder of this machine in which it is; absent where it is in none. */
  readonly directory?: string | undefined;
  /** Where the bodies of pages are kept, closed with the store. Absent: in the table `content`. */
  readonly content?: ContentStore | undefined;
  /**
   * Makes each change only if the row is as it was when it was read with this `version`; undefined for a row that was not there.
   * A change that names no column gives the row another version all the same.
   * Only a store has it that others change at the same time without its locks.
   * @returns for each whether it was made
   */
  writeUnchanged?(
    table: TableName,
    changes: readonly { readonly change: RowChange; readonly version: string | undefined }[],
  ): Promise<readonly boolean[]>;
  /** The keys at which a table is split between servers, in order. Absent: all of it is in one place. */
  splitKeys?(table: TableName): Promise<readonly string[]>;
  /**
   * Runs a task when nobody else runs one of this name. Only a store has it that other processes use too; of any other each
   * process has the locks for itself.
   */
  exclusive?<T>(name: string, task: () => Promise<T>): Promise<T>;
  /** Waits for writes under way, then frees everything. Calling it again does nothing. */
  close(): Promise<void>;
}
