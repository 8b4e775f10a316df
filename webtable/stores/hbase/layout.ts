/**
 * FROZEN, as `webtable/schema.ts` is: how the tables lie in HBase.
 *
 * - Each table is one of HBase's, with the families of the schema and one version of each cell.
 * - Every put and every delete carries a tick (`ticks.ts`) as its timestamp, so that their order is that of the ticks, whichever comes
 *   first to a server: a call that is made twice, or comes late, changes nothing that is newer. No table may have a time to live.
 * - A deleted column is an empty cell, since a put costs the servers a tenth of what a change does that also deletes. A value that is
 *   empty, or begins with a zero byte, has a zero byte before it.
 * - **The version of a row** is a hidden cell in the first family of its table, which every change sets, and writeUnchanged compares.
 *   It is the tick of the change and four bytes that are of the process, so none ever comes back. It goes with the row when that
 *   is cleared; but a page that writeUnchanged clears keeps it, since the next who makes the page has no version to be later
 *   than, and a tick that is too early would hide what is put. A row without a cell that a reader sees is no row to a reader;
 *   writeUnchanged of such a row compares with the version that is left.
 */
import { INDEX_COLUMNS, TABLES, type TableName } from '../../schema.js';
import { splitColumn } from '../../selectors.js';

/** Of cells that readers do not see the qualifiers begin with this byte. */
export const HIDDEN = 0;
/** The qualifier of the cell that holds the version of a row. */
export const VERSION_QUALIFIER = '\0v';
/** The row of the table `meta` by which clocks are compared, and the qualifier of its cell. */
export const CLOCK_ROW = '\0clock';
export const CLOCK_QUALIFIER = '\0c';

/** The most bytes of a row key: HBase has 15 bits for its length. */
export const MOST_KEY_BYTES = 32_767;
/** The most bytes of a cell with its key, `hbase.client.keyvalue.maxsize` as it comes. */
export const MOST_CELL_BYTES = 10 * 1024 * 1024;
/** Bytes of a cell beside its row key, family, qualifier and value: lengths, timestamp, type. */
export const CELL_OVERHEAD = 20;

/** The families of a table. */
export function familiesOf(table: TableName): readonly string[] {
  return Object.keys(TABLES[table]);
}

/** The family that holds the versions of the rows of each table. */
export function versionFamily(table: TableName): string {
  return familiesOf(table)[0]!;
}

/** Tables whose rows keep their version when writeUnchanged clears them. */
export function keepsVersion(table: TableName): boolean {
  return table === 'webpage';
}

/**
 * All columns that rows of a table may have, where these are few: what is not put by a change that clears is then deleted by
 * empty cells, and the change is a put. undefined for tables whose rows may have any column.
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

/** The bytes of a cell for a value. */
export function encodeValue(value: Uint8Array): Uint8Array {
  if (value.length > 0 && value[0] !== 0) return value;
  const encoded = new Uint8Array(value.length + 1);
  encoded.set(value, 1);
  return encoded;
}

/** The value of a cell; undefined for one that stands for a deleted column. It shares memory with the bytes. */
export function decodeValue(bytes: Buffer): Buffer | undefined {
  if (bytes.length === 0) return undefined;
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
}
