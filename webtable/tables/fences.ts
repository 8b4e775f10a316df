/**
 * Fences: rows at the ends of the ranges of an index.
 *
 * A LevelDB scan reads one existing key beyond the end of its range, and passes all recently deleted keys before it. Index entries are
 * deleted as fast as they are added. So without fences, a scan of an empty range could pass all entries that were deleted from other slots.
 * Fences are never removed. The queue of a host needs no fence, because it ends with the note of the host.
 */
import { text } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

const COLUMNS = { frontier: INDEX_COLUMNS.frontierScore, batch: INDEX_COLUMNS.batchEntry } as const;

export async function writeFences(store: Store, table: keyof typeof COLUMNS, keys: readonly string[]): Promise<void> {
  const put = new Map([[COLUMNS[table], text.encode('')]]);
  await store.write(
    table,
    // The owners of slots never change fences, so any timestamp does.
    keys.map((key) => ({ key, put, at: 0 })),
  );
}
