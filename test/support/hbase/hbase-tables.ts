import { createHBaseTables, openHBaseStore } from '../../../packages/hbase/index.js';
import type { RowChange, Store } from '../../../webtable/index.js';
import { TABLES, type TableName } from '../../../webtable/schema.js';
import type { OpenedStore } from '../../../webtable/store-suite/index.js';
import type { HBaseAccess } from '../../../bench/lib/hbase-control.js';

let made = 0;

/** The URL of new empty tables. No earlier test has used their name. */
export async function hbaseTables({ gateways }: HBaseAccess): Promise<string> {
  const url = `hbase://${gateways.join(',')}/test_${Date.now().toString(36)}_${process.pid}_${made++}`;
  await createHBaseTables(url, { slots: 16 });
  return url;
}

/** Removes every row of all tables, up to its newest timestamp. */
async function emptyTables(store: Store): Promise<void> {
  for (const [name, families] of Object.entries(TABLES)) {
    const table = name as TableName;
    const changes: RowChange[] = [];
    for await (const { key, at } of store.scan(table, { columns: Object.keys(families) }))
      changes.push({ key, clear: true, at });
    if (changes.length > 0) await store.write(table, changes);
  }
}

/** Opens empty tables, and empties them at the end. */
export async function openEmptyTables(url: string): Promise<OpenedStore> {
  let store = await openHBaseStore(url);
  await emptyTables(store);
  return {
    store,
    async reopen() {
      await store.close();
      return (store = await openHBaseStore(url));
    },
    async cleanup() {
      await store.close();
      const after = await openHBaseStore(url);
      await emptyTables(after);
      await after.close();
    },
  };
}
