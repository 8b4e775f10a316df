import { DEFAULT_SLOTS, openTables } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import type { CreatedTables } from '../../hbase/index.js';
import { isOnHBase } from '../open-store.js';
import { checks } from '../options/job-options.js';

export type { CreatedTables };
export type { WorkerStatus } from '../../jobs/index.js';
export type { Asked } from '../../../webtable/index.js';

/** Options of {@link createTable}. */
export interface CreateTableOptions {
  /** `hbase://host:port,host:port/namespace:prefix` */
  readonly table: string;
  /**
   * Number of slots of the indexes, from 1 to 65,536. It cannot be changed later, and it is the maximum number of shards. Default: 16, or
   * the number of an existing table.
   */
  readonly slots?: number;
  /** Whether to accept an existing table with another number of slots and leave it unchanged. Default: false, so such a table is an error. */
  readonly ifMissing?: boolean;
  /** Number of slots at which each index, and the inboxes, are split when the tables are created. Default: 0; HBase splits them as they grow. */
  readonly splits?: number;
}

/** The result of {@link createTable}. */
export interface CreatedTable extends CreatedTables {
  readonly slots: number;
}

/**
 * Makes a table on HBase: the HBase tables, and the entries that a new table needs. Existing tables and entries stay as they are, so it may
 * be called again at any time. Tables in a directory or in memory need no such call, because they are created when they are opened.
 * @throws CrawlError USAGE for a wrong option, or a table that is not on HBase; BAD_SETTING, STORE_DENIED with `lines` for the HBase shell
 * in its details, STORE_AWAY, STORE_FAILED, TABLE_VERSION
 */
export async function createTable(options: CreateTableOptions): Promise<CreatedTable> {
  checks.createTable(options);
  const { table, slots, splits, ifMissing = false } = options;
  if (!isOnHBase(table)) {
    throw new CrawlError('USAGE', `expected a table on HBase, found "${safeText(table)}"`, {
      hint: 'other tables are made by crawl and inject',
    });
  }
  const { createHBaseTables, openHBaseStore } = await import('../../hbase/index.js');
  const created = await createHBaseTables(table, {
    slots: slots ?? DEFAULT_SLOTS,
    ...(splits !== undefined && { splits }),
  });
  const store = await openHBaseStore(table);
  try {
    const tables = await openTables(store, { slots: slots ?? DEFAULT_SLOTS });
    const found = tables.slots.all.length;
    if (slots !== undefined && slots !== found && !ifMissing) {
      throw new CrawlError('BAD_SETTING', `expected a table with ${slots} slots, found one with ${found}`, {
        hint: 'slots are fixed when a table is made: make one with another prefix, or accept this one with --if-missing',
      });
    }
    return { ...created, slots: found };
  } finally {
    await store.close();
  }
}
