import { hostKeyOfRow } from '../keys/host-key.js';
import type { Slots } from '../keys/partition.js';
import { number } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, StoredRow } from '../store.js';
import type { FrontierKeys } from './frontier-keys.js';
import { isHeld, type FrontierRow } from './frontier-rows.js';

export interface FrontierEntry {
  readonly entryKey: string;
  readonly rowKey: string;
  readonly score: number;
  /** The timestamp of an entry that was read, on a store with timestamps. Only this entry is removed, and not one that is written later. */
  readonly at?: number | undefined;
}

export type FrontierEntries = ReturnType<typeof createFrontierEntries>;

export function createFrontierEntries(keys: FrontierKeys, slots: Slots) {
  /** For each slot, the time up to which this process has moved due rows into the queues. */
  const promotedTo = new Map<string, number>();
  /** Rows that become due until this time may be in the queues. */
  let queuedTo = -Infinity;

  /** The entry of a row; undefined while a batch holds the row. */
  function entryFor(rowKey: string, row: FrontierRow, now: number): FrontierEntry | undefined {
    const { dueAt = 0, score = 0, refusedBy } = row;
    if (isHeld(row)) return undefined;
    if (refusedBy !== undefined) return { entryKey: keys.refused(refusedBy, rowKey), rowKey, score };
    return { entryKey: dueAt <= now ? keys.due(score, rowKey) : keys.timed(dueAt, rowKey), rowKey, score };
  }

  /** Every entry that a row may have, the right entry first. A process with another clock may have written the other entry. */
  function entriesFor(rowKey: string, row: FrontierRow, now: number): FrontierEntry[] {
    const right = entryFor(rowKey, row, now);
    if (!right) return [];
    if (row.refusedBy !== undefined) return [right];
    const { dueAt = 0, score = 0 } = row;
    const entryKey = dueAt <= now ? keys.timed(dueAt, rowKey) : keys.due(score, rowKey);
    return [right, { entryKey, rowKey, score }];
  }

  return {
    for: entryFor,

    /**
     * The entries that a row may have had before a change. There are two if it is unknown whether the row was already in the queue of its
     * host.
     */
    before(rowKey: string, row: FrontierRow, now: number): FrontierEntry[] {
      const { dueAt = 0 } = row;
      const promoted = promotedTo.size === 0 ? undefined : promotedTo.get(slots.of(hostKeyOfRow(rowKey)));
      const isPromoted = promoted !== undefined && dueAt <= promoted;
      if (!isPromoted && dueAt <= Math.max(now, queuedTo)) return entriesFor(rowKey, row, now);
      const entry = entryFor(rowKey, row, isPromoted ? dueAt : now);
      return entry ? [entry] : [];
    },

    /** Returns every entry that a row may have now. */
    anyFor: (rowKey: string, row: FrontierRow): FrontierEntry[] => entriesFor(rowKey, row, 0),

    /**
     * Call it before the rows that become due until `until` are moved into the queues. Then it is unknown whether such a row is in a queue,
     * until `promoted` is called.
     */
    promoting: (until: number): void => void (queuedTo = Math.max(queuedTo, until)),
    /** Call it when all rows of a slot that become due until `until` are in the queues. */
    promoted: (slot: string, until: number): void =>
      void promotedTo.set(slot, Math.max(promotedTo.get(slot) ?? -Infinity, until)),

    /** Returns the entry in a stored row of the index. The list is empty if the row is a head, a note or a fence. */
    read({ key, cells, at }: StoredRow): FrontierEntry[] {
      const parsed = keys.parse(key);
      return 'rowKey' in parsed ? [{ entryKey: key, rowKey: parsed.rowKey, score: scoreIn(cells) ?? 0, at }] : [];
    },
  };
}

/** The change that writes a score into the index. A row of the index has a single cell, so it is written without a read. */
export function putScore(key: string, score: number): RowChange {
  return { key, clear: true, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}

export function scoreIn(cells: ReadonlyMap<string, Uint8Array> | undefined): number | undefined {
  const cell = cells?.get(INDEX_COLUMNS.frontierScore);
  return cell?.length === 8 ? number.decode(cell) : undefined;
}
