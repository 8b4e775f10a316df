import assert from 'node:assert/strict';
import type { ColumnSelector, Column, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import type { TableName } from '../schema.js';

/** A store opened for one test, new and empty. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again with its content; absent if the store is not persistent. */
  readonly reopen?: () => Promise<Store>;
  /** Closes the store and removes its files. Called once, at the end of the test. */
  readonly cleanup: () => Promise<void>;
}

/** A row as tests compare it: the cells in the order in which they were read, the bytes as latin1 text. */
export interface PlainRow {
  readonly key: string;
  readonly cells: readonly (readonly [column: string, value: string])[];
  readonly damaged?: string;
}

/** Every family of the table of pages. */
export const ALL = ['m', 'l', 'p'];

/** Returns the text with each character as one byte. */
export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** The cells of a row change. */
export function cells(values: Readonly<Record<string, string>>): Map<Column, Uint8Array> {
  return new Map(Object.entries(values).map(([column, value]) => [column as Column, bytes(value)]));
}

/** A change that puts these cells. */
export function put(key: string, values: Readonly<Record<string, string>>): RowChange {
  return { key, put: cells(values) };
}

/** A row as tests compare it. */
export function plain(row: StoredRow): PlainRow;
export function plain(row: StoredRow | undefined): PlainRow | undefined;
export function plain(row: StoredRow | undefined): PlainRow | undefined {
  if (!row) return undefined;
  const values = [...row.cells].map(([column, value]) => [column, Buffer.from(value).toString('latin1')] as const);
  return { key: row.key, cells: values, ...(row.damaged !== undefined && { damaged: row.damaged }) };
}

/** All rows of a scan. */
export async function scanPlain(store: Store, table: TableName, options: ScanOptions): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  for await (const row of store.scan(table, options)) rows.push(plain(row));
  return rows;
}

/** Fails if the two values are not deeply equal. */
export const same: (actual: unknown, expected: unknown, message?: string) => void = (actual, expected, message) =>
  assert.deepStrictEqual(actual, expected, message);

/** Fails if the value is false. */
export const ok: (value: boolean) => void = (value) => assert.ok(value);

/** Fails if the promise does not reject with a message that contains the text, or with an error that has these members. */
export async function rejects(
  made: Promise<unknown>,
  expected: string | Readonly<Record<string, unknown>>,
): Promise<void> {
  await assert.rejects(made, (error: Error) => {
    if (typeof expected === 'string')
      assert.ok(error.message.includes(expected), `${error.message} holds no ${expected}`);
    else
      for (const [name, value] of Object.entries(expected))
        same((error as unknown as Record<string, unknown>)[name], value);
    return true;
  });
}

/** A list of one item, as the arguments of a test. */
export const one = <T>(value: T): [T] => [value];

/** The store of a test, and helpers for the table of pages. */
export interface StoreKit {
  /** The store as it was last opened. */
  readonly store: Store;
  /** Whether the store can be opened again. */
  readonly isKept: boolean;
  reopen(): Promise<void>;
  write(...changes: RowChange[]): Promise<void>;
  get(keys: readonly string[], columns: readonly ColumnSelector[]): Promise<(PlainRow | undefined)[]>;
  scan(options?: Partial<ScanOptions>): Promise<PlainRow[]>;
  scanKeys(options?: Partial<ScanOptions>): Promise<string[]>;
  /** Returns the cells of a row by column. Fails if `get` and `scan` return different cells. */
  row(key: string, columns?: readonly string[]): Promise<Record<string, string> | undefined>;
}

/** The helpers for the tests of one store. */
export function storeKit(opened: OpenedStore): StoreKit {
  let { store } = opened;
  const kit: StoreKit = {
    get store() {
      return store;
    },
    isKept: opened.reopen !== undefined,
    async reopen() {
      if (opened.reopen) store = await opened.reopen();
    },
    write: (...changes) => store.write('webpage', changes),
    get: async (keys, columns) => (await store.get('webpage', keys, columns)).map((row) => plain(row)),
    scan: (options = {}) => scanPlain(store, 'webpage', { columns: ALL, ...options }),
    scanKeys: async (options) => (await kit.scan(options)).map(({ key }) => key),
    async row(key, columns = ALL) {
      const [found] = await kit.get([key], columns);
      // A scan must find the same cells as get.
      same(await kit.scan({ columns, ranges: [{ start: key, end: `${key}\u0001` }] }), found ? [found] : []);
      return found && Object.fromEntries(found.cells);
    },
  };
  return kit;
}

/** A group of tests. */
export interface StoreTests {
  readonly title: string;
  /** Whether a store must pass the tests. Absent: every store must. */
  readonly isFor?: (store: Store) => boolean;
  /** Runs at the start of each test. */
  readonly before?: (kit: StoreKit) => Promise<void>;
  tests(define: DefineTests): void;
}

/** Defines one test, or one test for each list of arguments. Arguments replace `%s`, `%i` and `%j` in the name. */
interface DefineTests {
  it(name: string, run: (kit: StoreKit) => Promise<void>): void;
  each<T extends readonly unknown[]>(
    rows: readonly T[],
  ): (name: string, run: (kit: StoreKit, ...args: T) => Promise<void>) => void;
}
