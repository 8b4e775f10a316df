import { MemoryStore, TABLES, type Column, type Store, type TableName } from '../../../webtable/index.js';
import { scanPlain, type PlainRow } from './plain-rows.js';

const NAMES = Object.keys(TABLES) as TableName[];

/** Everything that a store holds, by table. */
export async function dumpStore(store: Store): Promise<Record<string, PlainRow[]>> {
  const dump: Record<string, PlainRow[]> = {};
  for (const table of NAMES) dump[table] = await scanPlain(store, table, { columns: Object.keys(TABLES[table]) });
  return dump;
}

/** Copies the whole content of a store into an empty one, by default in memory, and returns the copy. */
export async function copyStore<S extends Store = MemoryStore>(
  store: Store,
  into: S = new MemoryStore() as Store as S,
): Promise<S> {
  for (const table of NAMES) {
    for await (const { key, cells } of store.scan(table, { columns: Object.keys(TABLES[table]) })) {
      // Before the timestamps of all owners.
      await into.write(table, [{ key, put: cells as ReadonlyMap<Column, Uint8Array>, at: 0 }]);
    }
  }
  return into;
}
