import type { Column, RowChange, ScanOptions, Store, StoredRow, TableName } from '../../webtable/index.js';

/** A row as tests compare it: cells in the order they came, bytes as latin1 text. */
export interface PlainRow {
  readonly key: string;
  readonly cells: readonly (readonly [column: string, value: string])[];
  readonly damaged?: string;
}

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** The cells of a row change. */
export function cells(values: Readonly<Record<string, string>>): Map<Column, Uint8Array> {
  return new Map(Object.entries(values).map(([column, value]) => [column as Column, bytes(value)]));
}

/** A change that puts these cells. */
export function put(key: string, values: Readonly<Record<string, string>>): RowChange {
  return { key, put: cells(values) };
}

export function plain(row: StoredRow): PlainRow;
export function plain(row: StoredRow | undefined): PlainRow | undefined;
export function plain(row: StoredRow | undefined): PlainRow | undefined {
  if (!row) return undefined;
  const values = [...row.cells].map(([column, value]) => [column, Buffer.from(value).toString('latin1')] as const);
  return { key: row.key, cells: values, ...(row.damaged !== undefined && { damaged: row.damaged }) };
}

export async function scanPlain(store: Store, table: TableName, options: ScanOptions): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  for await (const row of store.scan(table, options)) rows.push(plain(row));
  return rows;
}

export async function getPlain(
  store: Store,
  keys: readonly string[],
  columns: readonly string[],
): Promise<(PlainRow | undefined)[]> {
  return (await store.get('webpage', keys, columns)).map((row) => plain(row));
}
