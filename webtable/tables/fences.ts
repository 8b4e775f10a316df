/**
 * Fences: rows that are where the ranges of the indexes end.
 *
 * A scan of LevelDB that comes to the end of its range goes on to the next key that is there, past everything that was
 * deleted lately. Rows leave the indexes as fast as they enter, so without fences reading an empty range of one slot
 * would cost what was removed from all the others. They are never removed; within a queue the note of its
 * host does the same.
 */
import { text } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

const COLUMNS = { frontier: INDEX_COLUMNS.frontierScore, batch: INDEX_COLUMNS.batchEntry } as const;

/** Puts up fences at these keys. */
export async function writeFences(store: Store, table: keyof typeof COLUMNS, keys: readonly string[]): Promise<void> {
  const put = new Map([[COLUMNS[table], text.encode('')]]);
  await store.write(
    table,
    keys.map((key) => ({ key, clear: true, put })),
  );
}
