/**
 * FROZEN, like `webtable/schema.ts`: the layout of the tables in HBase.
 *
 * - Each table is one HBase table with the families of the schema and one version of each cell.
 * - The changes of an owner of slots have timestamps with the epoch of the slot (`webtable/tables/owned-store.ts`). They define the order of
 * changes, whatever the order in which the calls reach a server. Therefore a call that is made twice or arrives late changes no newer cell.
 * All other changes have the time of the server. No table may have a time to live.
 * - A deleted column is an empty cell, because a change that also deletes costs the servers ten times as much as a put. A value that is
 * empty, or begins with a zero byte, gets a zero byte before it.
 * - The cells of a family of the shape `record` are one cell, in the format of `webtable/packed-cells.ts`. A put replaces the whole record.
 * - A removed row of `webpage` has an empty record. Readers do not see it. A late change of a former owner is older than this record.
 */
import { INDEX_COLUMNS, TABLES, type TableName, splitColumn } from '../core/index.js';

/** The qualifier of the cell with a record. */
export const RECORD_QUALIFIER = 'r';

/** The maximum bytes of a row key. HBase stores the length of a key in 15 bits. */
export const MAX_KEY_BYTES = 32_767;
/** The maximum bytes of a cell with its key. This is the default of `hbase.client.keyvalue.maxsize`. */
export const MAX_CELL_BYTES = 10 * 1024 * 1024;
/** Overhead of a cell in bytes, besides row key, family, qualifier and value: lengths, timestamp, type. */
export const CELL_OVERHEAD = 20;

export function familiesOf(table: TableName): readonly string[] {
  return Object.keys(TABLES[table]);
}

/** The family of a table whose cells are one record. */
export function recordFamily(table: TableName): string | undefined {
  return Object.entries(TABLES[table]).find(([, shape]) => shape === 'record')?.[0];
}

/**
 * Returns all columns of a table; undefined for a table whose rows may have any column. If the columns are known, a change that clears a
 * row and puts some columns needs no deletion: it puts empty cells into the other columns.
 */
export function columnsOf(table: TableName): readonly string[] | undefined {
  return COLUMNS[table];
}

const COLUMNS: Partial<Record<TableName, readonly string[]>> = Object.fromEntries(
  (['frontier', 'batch'] as const).map((table) => {
    const own = Object.values(INDEX_COLUMNS).filter((column) => splitColumn(column)[0] === familiesOf(table)[0]);
    return [table, own];
  }),
);

export function encodeValue(value: Uint8Array): Uint8Array {
  if (value.length > 0 && value[0] !== 0) return value;
  const encoded = new Uint8Array(value.length + 1);
  encoded.set(value, 1);
  return encoded;
}

/** Returns the value of a cell, which shares memory with the bytes. Undefined: the cell marks a deleted column. */
export function decodeValue(bytes: Buffer): Buffer | undefined {
  if (bytes.length === 0) return undefined;
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
}
