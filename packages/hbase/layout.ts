/**
 * FROZEN, like `webtable/schema.ts`: the layout of the tables in HBase.
 *
 * - Each table is one HBase table with the families of the schema and one version of each cell.
 * - Every put and every delete has a tick (`ticks.ts`) as its timestamp. The ticks define the order of changes, whatever the order in which
 * the calls reach a server. Therefore a call that is made twice or arrives late changes no newer cell. No table may have a time to live.
 * - A deleted column is an empty cell, because a change that also deletes costs the servers ten times as much as a put. A value that is
 * empty, or begins with a zero byte, gets a zero byte before it.
 * - The cells of a family of the shape `record` are one cell, in the format of `webtable/packed-cells.ts`. A put replaces the whole record.
 * - **The version of a row** is a hidden cell in the first family of its table. Every change sets it, and writeUnchanged compares it. The
 * version consists of the tick of the change and four bytes of the process, so no two changes have the same version.
 * - A change that clears a row removes the version too. There is one exception: a page that writeUnchanged clears still has a version.
 * Without it, the next writer of the page might use a tick that is too early, and its puts would be hidden. Readers do not see the page,
 * because it has no visible cell. The next writeUnchanged of the page compares the version.
 */
import { INDEX_COLUMNS, TABLES, type TableName, splitColumn } from '../core/index.js';

/** If a qualifier begins with this byte, readers do not see the cell. */
export const HIDDEN = 0;
export const VERSION_QUALIFIER = '\0v';
/** The qualifier of the cell with a record. */
export const RECORD_QUALIFIER = 'r';
/** The row of the table `meta` that is used to compare clocks, and the qualifier of its cell. */
export const CLOCK_ROW = '\0clock';
export const CLOCK_QUALIFIER = '\0c';

/** The maximum bytes of a row key. HBase stores the length of a key in 15 bits. */
export const MAX_KEY_BYTES = 32_767;
/** The maximum bytes of a cell with its key. This is the default of `hbase.client.keyvalue.maxsize`. */
export const MOST_CELL_BYTES = 10 * 1024 * 1024;
/** Overhead of a cell in bytes, besides row key, family, qualifier and value: lengths, timestamp, type. */
export const CELL_OVERHEAD = 20;

export function familiesOf(table: TableName): readonly string[] {
  return Object.keys(TABLES[table]);
}

/** The family of a table whose cells are one record. */
export function recordFamily(table: TableName): string | undefined {
  return Object.entries(TABLES[table]).find(([, shape]) => shape === 'record')?.[0];
}

/** Returns the family that has the versions of the rows of a table. */
export function versionFamily(table: TableName): string {
  return familiesOf(table)[0]!;
}

/** Whether rows of a table keep their version when writeUnchanged clears them. */
export function keepsVersion(table: TableName): boolean {
  return table === 'webpage';
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
    const own = Object.values(INDEX_COLUMNS).filter((column) => splitColumn(column)[0] === versionFamily(table));
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
