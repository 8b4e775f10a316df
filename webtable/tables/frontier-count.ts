import { parseKey, queueRange, timedRange } from './frontier-keys.js';
import { ALL_SLOTS } from '../keys/partition.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/**
 * Counts the rows that are due and held by no batch, as the frontier has them: a few entries may be stale. It reads one small
 * entry for each.
 * @param limit it stops there
 */
export async function countDue(store: Store, now: number, limit = Infinity): Promise<number> {
  const ranges = ALL_SLOTS.flatMap((slot) => [queueRange(slot), timedRange(slot, now)]);
  let count = 0;
  for await (const { key } of store.scan('frontier', { ranges, columns: [INDEX_COLUMNS.frontierScore] })) {
    if (parseKey(key).kind === 'row' && (count += 1) >= limit) break;
  }
  return count;
}
