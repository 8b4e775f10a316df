import type { Store, StoredRow } from '../../webtable/index.js';

/** A store that counts the rows which are read from it, by table. */
export function countingStore(store: Store): Store & { readonly rowsRead: Record<string, number> } {
  const rowsRead: Record<string, number> = {};
  const count = (table: string, n: number): void => void (rowsRead[table] = (rowsRead[table] ?? 0) + n);
  return {
    rowsRead,
    get(table, keys, columns) {
      count(table, keys.length);
      return store.get(table, keys, columns);
    },
    async *scan(table, options): AsyncGenerator<StoredRow> {
      for await (const row of store.scan(table, options)) {
        count(table, 1);
        yield row;
      }
    },
    write: (table, changes) => store.write(table, changes),
    close: () => store.close(),
  };
}
