import { MemoryStore, TABLES, type Column, type Store, type TableName } from '../../webtable/index.js';
import { scanPlain, type PlainRow } from './plain-rows.js';

const NAMES = Object.keys(TABLES) as TableName[];

/** Everything that a store holds, by table. */
export async function dumpStore(store: Store): Promise<Record<string, PlainRow[]>> {
  const dump: Record<string, PlainRow[]> = {};
  for (const table of NAMES) dump[table] = await scanPlain(store, table, { columns: Object.keys(TABLES[table]) });
  return dump;
}

/** A store in memory with all that another holds. */
export async function copyStore(store: Store): Promise<MemoryStore> {
  const copy = new MemoryStore();
  for (const table of NAMES) {
    for await (const { key, cells } of store.scan(table, { columns: Object.keys(TABLES[table]) })) {
      await copy.write(table, [{ key, put: cells as ReadonlyMap<Column, Uint8Array> }]);
    }
  }
  return copy;
}
