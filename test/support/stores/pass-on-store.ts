import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow, TableName } from '../../../webtable/index.js';

/** Forwards all calls to another store. */
export class PassOnStore implements Store {
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

  write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    return this.#store.write(table, changes);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
