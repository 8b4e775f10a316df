import type { TableName } from './schema.js';
import type { ColumnSelector, KeyRange, RowChange, Store, StoredRow } from './store.js';

/** The smallest key that is greater than `key`. */
export function after(key: string): string {
  return `${key}\u0001`;
}

/** The changes that remove whole rows. */
export const removals = (keys: readonly string[]): RowChange[] => keys.map((key) => ({ key, clear: true }));

/** Returns the first rows of a range, at most `limit` rows. */
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
 * Reads rows in steps of at most `step` rows. `step` may be a function that gets the number of the previous step. Each step is a scan of
 * its own that begins after the last key. Therefore the store has nothing open between two steps, even if the caller is slow. Each row is
 * complete, but different rows may be from different moments.
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

/** Reads the rows of {@link scanSteps} one by one. */
export async function* scanRows(...scan: Parameters<typeof scanSteps>): AsyncGenerator<StoredRow> {
  for await (const rows of scanSteps(...scan)) yield* rows;
}
