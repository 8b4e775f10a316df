import type { ColumnSelector, ScanOptions, Store, StoredRow, TableName } from '../../webtable/index.js';

/** Reads another store, and throws where it is to be written. Closing leaves the other open. */
export class ReadOnlyStore implements Store {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    return this.#store.get(table, keys, columns);
  }

  scan(table: TableName, options: ScanOptions): AsyncIterable<StoredRow> {
    return this.#store.scan(table, options);
  }

  write(table: TableName): Promise<void> {
    return Promise.reject(new Error(`nothing may be written, but ${table} was`));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
