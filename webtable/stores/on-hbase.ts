/**
 * The door to the store on HBase: who does not name a table there loads none of it.
 */
import type { CreatedTables, CreateTablesOptions } from './hbase/create-tables.js';
import type { HBaseStore } from './hbase/hbase-store.js';
import type { OpenHBaseOptions } from './hbase/open-hbase-store.js';

export type { CreatedTables, CreateTablesOptions, HBaseStore, OpenHBaseOptions };

/** Whether this is the URL of a table on HBase. */
export function isOnHBase(table: string): boolean {
  return /^hbase:/i.test(table);
}

/**
 * Opens the tables that a URL names: `hbase://host:port,host:port/namespace:prefix`, with `?segments=<folder>` for bodies in a folder
 * that all processes share. They must be there.
 * @throws CrawlError BAD_SETTING, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FAILED, CLOCK_OFF
 */
export async function openHBaseStore(url: string, options: OpenHBaseOptions = {}): Promise<HBaseStore> {
  const { openHBaseStore: open } = await import('./hbase/open-hbase-store.js');
  return open(url, options);
}

/**
 * Makes the tables that a URL names, and the families that are missing of those that are there. It may be run again at any time.
 * @throws CrawlError BAD_SETTING, STORE_DENIED with the lines for an operator in `details`, STORE_AWAY, STORE_FAILED
 */
export async function createHBaseTables(url: string, options: CreateTablesOptions): Promise<CreatedTables> {
  const { createHBaseTables: create } = await import('./hbase/create-tables.js');
  return create(url, options);
}
