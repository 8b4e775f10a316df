import {
  DEFAULT_SLOTS,
  createHBaseTables,
  isOnHBase,
  openHBaseStore,
  openTables,
  type CreatedTables,
} from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';

/** What {@link createTable} takes. */
export interface CreateTableOptions {
  /** `hbase://host:port,host:port/namespace:prefix` */
  readonly table: string;
  /**
   * Into how many slots the indexes are spread, from 1 to 65,536; fixed from then on. As many shards at the most can work on the table.
   * Default: 16, or what a table that is there has.
   */
  readonly slots?: number;
  /** A table that is there may have another number of slots, and keeps it. Default: false, that is an error. */
  readonly ifMissing?: boolean;
  /** At how many keys the tables of the indexes are split at once. Default: 0, HBase splits them as they grow. */
  readonly splits?: number;
}

/** What {@link createTable} made. */
export interface CreatedTable extends CreatedTables {
  readonly slots: number;
}

/**
 * Makes a table on HBase: its tables there, and what is in a new one. What is there already stays as it is, so it may be
 * run again at any time. Tables of other kinds are made when they are opened.
 * @throws CrawlError USAGE for a table that is not on HBase; BAD_SETTING, STORE_DENIED with `lines` for the HBase shell in its
 *   details, STORE_AWAY, STORE_FAILED, CLOCK_OFF, TABLE_VERSION
 */
export async function createTable({
  table,
  slots,
  splits,
  ifMissing = false,
}: CreateTableOptions): Promise<CreatedTable> {
  if (!isOnHBase(table)) {
    throw new CrawlError('USAGE', `expected a table on HBase, found "${safeText(table)}"`, {
      hint: 'crawl and inject make other tables by themselves',
    });
  }
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
        hint: 'slots are fixed when a table is made: make one with another prefix, or take this one as it is with --if-missing',
      });
    }
    return { ...created, slots: found };
  } finally {
    await store.close();
  }
}
