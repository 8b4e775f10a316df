import type { Store, StoredRow } from '../../../webtable/index.js';

/** A store that counts the rows that are read from it, by table, and the open scans. */
export interface CountingStore extends Store {
  readonly rowsRead: Record<string, number>;
  readonly openScans: number;
}

export function countingStore(store: Store): CountingStore {
  const rowsRead: Record<string, number> = {};
  let openScans = 0;
  const count = (table: string, n: number): void => void (rowsRead[table] = (rowsRead[table] ?? 0) + n);
  return {
    rowsRead,
    get openScans() {
      return openScans;
    },
    get(table, keys, columns) {
      count(table, keys.length);
      return store.get(table, keys, columns);
    },
    async *scan(table, options): AsyncGenerator<StoredRow> {
      openScans += 1;
      try {
        for await (const row of store.scan(table, options)) {
          count(table, 1);
          yield row;
        }
      } finally {
        openScans -= 1;
      }
    },
    write: (table, changes) => store.write(table, changes),
    close: () => store.close(),
  };
}
