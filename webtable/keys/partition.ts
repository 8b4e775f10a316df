import { CrawlError } from '../../packages/errors/index.js';
import { hostKeyOf, type HostKey } from './host-key.js';

/** Follows all that is in a zone of an index table, and the `|` after the names there. */
export const FENCE = '}';

/** How many slots a table has unless it is made with another number. */
export const DEFAULT_SLOTS = 16;
/** The most that a table may have. */
export const MAX_SLOTS = 4096;

/**
 * The slots of a table, into which the keys of its indexes are spread. How many there are is fixed when the table is made.
 */
export interface Slots {
  /** Hex digits for every slot, in order: two of them, or three beyond 256 slots. */
  readonly all: readonly string[];
  /** The slot of a host. */
  of(host: HostKey): string;
  /** The slot of a queue: a host, a domain or an IP address. That of a host is the same as of the host itself. */
  ofQueue(queue: string): string;
}

/** @throws CrawlError BAD_SETTING for a number that is not from 1 to {@link MAX_SLOTS} */
export function slotsOf(count: number): Slots {
  if (!Number.isSafeInteger(count) || count < 1 || count > MAX_SLOTS) {
    throw new CrawlError('BAD_SETTING', `expected from 1 to ${MAX_SLOTS} slots, found ${count}`);
  }
  const digits = count > 256 ? 3 : 2;
  const all = Array.from({ length: count }, (_, i) => i.toString(16).padStart(digits, '0'));
  const of = (host: HostKey): string => all[partitionOf(host, count)]!;
  return { all, of, ofQueue: (queue) => of(hostKeyOf(queue)) };
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
