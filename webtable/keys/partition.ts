import { CrawlError } from '../../packages/errors/index.js';
import { SLOTS } from '../schema.js';

/** Follows all that stands in a zone of an index table, and the `|` after the names there. */
export const FENCE = '}';

/** Two hex digits for every slot of the index tables, in order. */
export const ALL_SLOTS: readonly string[] = Array.from({ length: SLOTS }, (_, i) => i.toString(16).padStart(2, '0'));

/** The slot of a row: the partition of its reversed host, so that all rows of one host share it. */
export function slotOf(rowKey: string): string {
  // An IPv6 host holds colons of its own.
  const end = rowKey.startsWith('[') ? rowKey.indexOf(']') + 1 : rowKey.indexOf(':');
  return ALL_SLOTS[partitionOf(rowKey.slice(0, end), SLOTS)]!;
}

/**
 * The partition of a group, from 0 to `partitions` - 1. Stable for ever and on every machine: the hash is that of
 * Java's `String.hashCode` with the sign bit cleared, as Apache Nutch has it, so both partition alike.
 * @throws CrawlError BAD_SETTING where `partitions` is not a whole number above 0
 */
export function partitionOf(group: string, partitions: number): number {
  if (!Number.isSafeInteger(partitions) || partitions < 1) {
    throw new CrawlError('BAD_SETTING', `expected a whole number of partitions above 0, found ${partitions}`);
  }
  let hash = 0;
  for (let i = 0; i < group.length; i++) hash = (Math.imul(hash, 31) + group.charCodeAt(i)) | 0;
  return (hash & 0x7fffffff) % partitions;
}
