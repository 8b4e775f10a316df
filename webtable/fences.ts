/**
 * Fences: rows that stand where the ranges of the indexes end, and are never removed.
 *
 * A scan of LevelDB that comes to the end of its range goes on to the next key that is there, past everything that was
 * deleted lately. Rows leave the indexes as fast as they enter, so without fences reading an empty range of one slot
 * would cost what was removed from all the others. Within a queue the note of its host does the same.
 */
import { batchFences } from './batches.js';
import { text } from './codec.js';
import { frontierFences } from './frontier-keys.js';
import { ALL_SLOTS } from './partition.js';
import { INDEX_COLUMNS } from './schema.js';
import type { Column, RowChange, Store } from './store.js';

/** Puts up the fences of a table that is new. */
export async function writeFences(store: Store): Promise<void> {
  await store.write('frontier', fences(ALL_SLOTS.flatMap(frontierFences), INDEX_COLUMNS.frontierScore));
  await store.write('batch', fences(batchFences(), INDEX_COLUMNS.batchEntry));
}

function fences(keys: readonly string[], column: Column): RowChange[] {
  return keys.map((key) => ({ key, clear: true, put: new Map([[column, text.encode('')]]) }));
}
