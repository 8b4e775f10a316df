import assert from 'node:assert/strict';
import type { ColumnSelector, Column, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import type { TableName } from '../schema.js';

/** A store that was opened for one test, new and empty. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again with what it holds; absent where a store keeps nothing. */
  readonly reopen?: () => Promise<Store>;
  /** Closes what is open and removes what was made. Called once, at the end of the test. */
  readonly cleanup: () => Promise<void>;
}

/** A row as tests compare it: cells in the order they came, bytes as latin1 text. */
export interface PlainRow {
  readonly key: string;
  readonly cells: readonly (readonly [column: string, value: string])[];
  readonly damaged?: string;
}

/** Every family of the table of pages. */
export const ALL = ['m', 'l', 'p'];

/** Each character as one byte. */
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

/** Fails unless both are deeply equal. */
export const same: (actual: unknown, expected: unknown, message?: string) => void = (actual, expected, message) =>
  assert.deepStrictEqual(actual, expected, message);

/** Fails unless it is true. */
export const ok: (value: boolean) => void = (value) => assert.ok(value);

/** What is awaited must fail, with a message that holds the text or with these members. */
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

/** A list of one, as the arguments of a test. */
export const one = <T>(value: T): [T] => [value];

/** The store of a test, and what tests do with the table of pages. */
export interface StoreKit {
  /** As it was opened last. */
  readonly store: Store;
  /** It can be opened again. */
  readonly isKept: boolean;
  reopen(): Promise<void>;
  write(...changes: RowChange[]): Promise<void>;
  get(keys: readonly string[], columns: readonly ColumnSelector[]): Promise<(PlainRow | undefined)[]>;
  scan(options?: Partial<ScanOptions>): Promise<PlainRow[]>;
  scanKeys(options?: Partial<ScanOptions>): Promise<string[]>;
  /** The cells of a row by column, as both `get` and `scan` find them. */
  row(key: string, columns?: readonly string[]): Promise<Record<string, string> | undefined>;
}

/** What the tests of one store do with it. */
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
      // What get finds, a scan must find.
      same(await kit.scan({ columns, ranges: [{ start: key, end: `${key}\u0001` }] }), found ? [found] : []);
      return found && Object.fromEntries(found.cells);
    },
  };
  return kit;
}

/** A group of tests. */
export interface StoreTests {
  readonly title: string;
  /** What each test begins with. */
  readonly before?: (kit: StoreKit) => Promise<void>;
  tests(define: DefineTests): void;
}

/** How tests are defined: one, or one for each list of arguments, which `%s`, `%i` and `%j` of the name are replaced by. */
export interface DefineTests {
  it(name: string, run: (kit: StoreKit) => Promise<void>): void;
  each<T extends readonly unknown[]>(
    rows: readonly T[],
  ): (name: string, run: (kit: StoreKit, ...args: T) => Promise<void>) => void;
}
