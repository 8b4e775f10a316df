import type { ContentStore } from './content/content-store.js';
import type { TableName } from './schema.js';

/**
 * The promises of a store that holds the tables. No job relies on any other promise, so a store may be a single file or a service on many
 * machines.
 *
 * - Rows of a table come in byte order of their keys. Keys are ASCII without NUL, so byte order is string order.
 * - One row change is atomic: readers see all of its cells or none, even after the process was killed.
 * - Nothing is promised across rows: when {@link Store.write} fails, any of its changes may have been made.
 * - The cells of a row come in order of their columns.
 * - A scan returns every row complete, as it was at one moment. This moment is not before the start of the scan.
 */

/** `family:qualifier`, for instance `m:st`. */
export type Column = `${string}:${string}`;

/** One column, a whole family (`m`), or every column with a prefix (`l:i:*`). */
export type ColumnSelector = string;

/** Keys from `start` (included) to `end` (excluded). Without `end`: to the end of the table. */
export interface KeyRange {
  readonly start: string;
  readonly end?: string;
}

/** A row as stored, with only the selected cells that exist. It has at least one cell, unless it is `damaged`. */
export interface StoredRow {
  readonly key: string;
  readonly cells: ReadonlyMap<string, Uint8Array>;
  /** The newest `at` of the cells that were read. Only a store with {@link Store.compareAndSet} sets it. */
  readonly at?: number;
  /**
   * The record of a row of `webpage` as stored: the cells of family `m`. Only a store that would have to read it for a change sets it, so that
   * a change can bring it along.
   */
  readonly record?: Uint8Array;
  /**
   * Describes what could not be read. These cells are missing in `cells`, and stay unchanged in the store. The text has parts, separated by
   * `; `. Each part begins with the name of a family and a colon.
   */
  readonly damaged?: string;
}

/** A change of one row. Columns that are not named stay as they are. Deleting an absent column is no error. */
export interface RowChange {
  readonly key: string;
  readonly put?: ReadonlyMap<Column, Uint8Array>;
  readonly delete?: readonly Column[];
  /** Removes every cell of the row first, so that only the cells of `put` remain. */
  readonly clear?: boolean;
  /**
   * The `record` that was read of the row; null: the row had none. The change also writes it again. Absent: the store reads it if it needs
   * it.
   */
  readonly record?: Uint8Array | null | undefined;
  /**
   * The timestamp of the change, a whole number of at most 2^53. Of all changes of a cell the one with the highest timestamp counts, in
   * whatever order they arrive. A change that clears the row also uses the timestamp after `at`. Only a store with
   * {@link Store.compareAndSet} uses it. Absent: the time of the store.
   */
  readonly at?: number | undefined;
}

/** A change of a row that is made only while a cell of the row has the value that was read. */
export interface CheckedChange {
  readonly change: RowChange;
  /** The cell that is compared. The change must put it, or clear the row. */
  readonly column: Column;
  /** undefined: there must be no such cell. */
  readonly value: Uint8Array | undefined;
  /** The `at` of the row as it was read. The change gets a higher one. */
  readonly at?: number | undefined;
}

/** The functions that change rows of `webpage` for another process. */
export type OwnerVerb = 'add seeds' | 'apply rules';

/** Which rows of a table to read, and which columns. */
export interface ScanOptions {
  /** The ranges are read one after the other, in the given order. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly columns: readonly ColumnSelector[];
  /** Maximum number of rows over all ranges. */
  readonly limit?: number;
}

/** Stores the tables; see the promises at the head of this file. */
export interface Store {
  /** Returns the rows of these keys, in the given order; undefined for a row that has none of the columns. Callers must not change the bytes. */
  get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]>;
  /** Rows in key order within each range. Ending the iteration early frees its resources. */
  scan(table: TableName, options: ScanOptions): AsyncIterable<StoredRow>;
  /**
   * Makes the changes in the given order. A call may contain several changes of one row. The caller may change the bytes of the cells once
   * the call has ended.
   */
  write(table: TableName, changes: readonly RowChange[]): Promise<void>;
  /**
   * Number of rows that a job should change at a time, if it has the choice. Default: 100, so that the data of the rows is garbage while it is
   * young, and the event loop is not blocked for long. A store behind a network takes more, because each call has to wait for a response.
   */
  readonly rowsAtATime?: number;
  /** The folder on this machine that holds the store; absent if there is none. */
  readonly directory?: string | undefined;
  /** The store of the bodies, closed with this store. Absent: bodies are in the table `content`. */
  readonly content?: ContentStore | undefined;
  /**
   * Makes each change only while the cell has the value that was read. Only a store that several processes change at the same time has this
   * method. Such a store also honours {@link RowChange.at}.
   * @returns for each change whether it was made. If its response was lost, and the cell has another value since, it counts as not made
   */
  compareAndSet?(table: TableName, changes: readonly CheckedChange[]): Promise<readonly boolean[]>;
  /**
   * Like `compareAndSet`, in the process that has the table open. Only a store that other processes use through that process has this method.
   * It ignores {@link CheckedChange.at}.
   */
  changeInOwner?(table: TableName, changes: readonly CheckedChange[]): Promise<readonly boolean[]>;
  /**
   * Runs a function in the process that has the table open: `here` if it is this process, else the function of that process with this name.
   * Arguments and result are JSON. Absent: the table is always open in this process.
   */
  inOwner?<T>(verb: OwnerVerb, args: readonly unknown[], here: () => Promise<T>): Promise<T>;
  /**
   * Runs a task under a lock of this name, so that tasks of one name run one after another in this process. Only a store that other processes
   * use through the process with the table has this method. It throws TABLE_LOCKED while another process has the table open.
   */
  exclusive?<T>(name: string, task: () => Promise<T>): Promise<T>;
  /**
   * Puts the files of the table, as they are at one moment, into a new folder inside the table's folder, for a backup. The files include
   * all data that was written before the call. The caller must remove the new folder. If it does not, the next call removes the folder.
   * Only a store of files has this method.
   * @returns the name of the new folder
   */
  stage?(): Promise<string>;
  /** Waits for running writes, then frees all resources. Calling it again does nothing. */
  close(): Promise<void>;
}
