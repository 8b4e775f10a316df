import type { TableName } from './schema.js';
import type { ColumnSelector, KeyRange, Store, StoredRow } from './store.js';

/** The least key that may come after another. */
export function after(key: string): string {
  return `${key}\u0001`;
}

/** The first rows of a range, at most `limit`. */
export async function readRange(
  store: Store,
  table: TableName,
  columns: readonly ColumnSelector[],
  range: KeyRange,
  limit: number,
): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const row of store.scan(table, { ranges: [range], columns, limit })) rows.push(row);
  return rows;
}

/**
 * Reads rows in steps of at most `step`, or of as many as it says of the step before. Each step is a scan of its own that
 * begins after the last key, so nothing of the store is held between two, however long the work on one takes. Each row is
 * whole; the rows are not of one moment.
 */
export async function* scanSteps(
  store: Store,
  table: TableName,
  columns: readonly ColumnSelector[],
  ranges: readonly KeyRange[],
  step: number | ((before: number) => number),
): AsyncGenerator<StoredRow[]> {
  let limit = typeof step === 'number' ? step : step(0);
  for (const { start: first, end } of ranges) {
    for (let start: string | undefined = first; start !== undefined;) {
      const rows = await readRange(store, table, columns, { start, ...(end !== undefined && { end }) }, limit);
      if (rows.length > 0) yield rows;
      start = rows.length < limit ? undefined : after(rows.at(-1)!.key);
      if (typeof step !== 'number') limit = step(limit);
    }
  }
}
