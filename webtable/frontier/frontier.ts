/**
 * The frontier: which rows may be selected, and when. It is an index. Every row that no batch holds has an entry, at or before the time at
 * which the row is due. An entry may be stale, so readers compare it with the row and correct it. A row that a batch holds has no entry
 * here, but one in the index of the batch.
 *
 * A due row is in the queue of its host, best score first. The entry of another row has the time at which the row becomes due. {@link
 * Frontier.promote} moves an entry to the queue when the row is due. Every host with rows in its queue has a head (see frontier-heads.ts).
 * Therefore the best rows are found without reading lower-ranked hosts, or lower-ranked rows of a host. The entry of a row that generate
 * has refused contains the cause of the refusal. generate reconsiders the row only after that cause changes.
 */
import type { Slots } from '../keys/partition.js';
import type { Leases } from '../leases/leases.js';
import type { PageChange } from '../pages/page.js';
import { readRange } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store } from '../store.js';
import { createFrontierEntries, type FrontierEntry } from './frontier-entries.js';
import { createFrontierHeads } from './frontier-heads.js';
import { createFrontierKeys } from './frontier-keys.js';
import { createFrontierMoves } from './frontier-moves.js';
import { createFrontierReads } from './frontier-reads.js';
import { isEnteredAlike, isHeld, rowAfter, type FrontierRow } from './frontier-rows.js';

/** A change of a row, with the earlier fields that decide its old entry. `before` is undefined if the row did not exist. */
export interface IndexedChange {
  readonly before: FrontierRow | undefined;
  /** Absent if only entries are corrected. */
  readonly change?: PageChange;
  /** Entries that differ from the row. */
  readonly stale?: readonly FrontierEntry[];
}

/** Which rows of a table may be selected, and when. */
export type Frontier = ReturnType<typeof createFrontier>;

type KeyedRow = FrontierRow & { readonly key: string };

const COLUMNS = [INDEX_COLUMNS.frontierScore];
const STEP = 1000;

/** @param serialised runs a step while no other task changes rows */
export function createFrontier(
  store: Store,
  slots: Slots,
  leases: Pick<Leases, 'firstStamp' | 'confirm'>,
  serialised: <T>(step: () => Promise<T>) => Promise<T>,
) {
  const keys = createFrontierKeys(slots);
  const heads = createFrontierHeads(store, keys, slots, leases);
  const entries = createFrontierEntries(keys, slots);
  const { move, dueScores } = createFrontierMoves(store, keys, heads);

  async function hasEntries(rows: readonly KeyedRow[]): Promise<boolean[]> {
    const wanted = rows.map((row) => entries.anyFor(row.key, row));
    const all = wanted.flat();
    const entryKeys = all.map(({ entryKey }) => entryKey);
    const found = await store.get('frontier', entryKeys, COLUMNS);
    const lead = await heads.lead(dueScores(all));
    const isThere = new Set<string>();
    let at = 0;
    for (const [i, { entryKey }] of all.entries()) {
      const isReached = !keys.isDue(entryKey) || lead[at++];
      if (found[i] && isReached) isThere.add(entryKey);
    }
    return rows.map((row, i) => isHeld(row) || wanted[i]!.some(({ entryKey }) => isThere.has(entryKey)));
  }

  async function promoteStep(range: KeyRange): Promise<number> {
    const rows = await readRange(store, 'frontier', COLUMNS, range, STEP);
    const timed = rows.flatMap(entries.read);
    await move(
      timed.map(({ rowKey, score }) => ({ entryKey: keys.due(score, rowKey), rowKey, score })),
      timed,
    );
    return rows.length;
  }

  async function write(changes: readonly IndexedChange[], now: number, writeRows: () => Promise<void>): Promise<void> {
    const added: FrontierEntry[] = [];
    const removed: FrontierEntry[] = [];
    for (const { before, change, stale = [] } of changes) {
      const key = change?.key ?? stale[0]!.rowKey;
      const after = change ? rowAfter(before, change) : before;
      const isAlike = before !== undefined && after !== undefined && isEnteredAlike(before, after);
      if (isAlike && stale.length === 0) continue;
      const entry = after && entries.for(key, after, now);
      if (entry) added.push(entry);
      // A new row that joins a batch gets an entry until it is written. The batch may have ended before a late change of the row is visible.
      if (after && !before && isHeld(after)) {
        const { marks: _, ...released } = after;
        const late = entries.for(key, released, now)!;
        added.push(late);
        removed.push(late);
      }
      const olds = before && !isAlike ? entries.before(key, before, now) : [];
      for (const old of stale) if (old.entryKey !== entry?.entryKey) removed.push(old);
      for (const old of olds) if (old.entryKey !== entry?.entryKey) removed.push(old);
    }
    await move(added, removed, writeRows);
  }

  return {
    ...createFrontierReads(store, slots, keys, entries.read),

    /**
     * Returns for each row whether generate can find it: the row has an entry, and a head if the entry is in a queue. true for a row in a
     * batch.
     */
    hasEntries,

    /**
     * Writes rows together with their entries. The order is: new entries, their heads, the rows, then the removal of old entries, then lower
     * heads. So a row always has an entry, even if a write fails.
     */
    write,

    /** Removes whole rows by `removeRows`, then removes their entries. */
    async remove(rows: readonly KeyedRow[], now: number, removeRows: () => Promise<void>): Promise<void> {
      const olds = rows.flatMap((row) => entries.before(row.key, row, now));
      await move([], olds, removeRows);
    },

    /**
     * Adds an entry for each row without an entry at or before its due time.
     * @returns the number of added entries
     */
    async enterMissing(rows: readonly KeyedRow[], now: number): Promise<number> {
      const found = await hasEntries(rows);
      const added = rows.filter((_, i) => !found[i]).map((row) => entries.for(row.key, row, now)!);
      await heads.removeLooseNotes(dueScores(added));
      await move(added, []);
      return added.length;
    },

    isEntryOf: (entry: FrontierEntry, row: FrontierRow): boolean =>
      entries.anyFor(entry.rowKey, row).some(({ entryKey }) => entryKey === entry.entryKey),

    /**
     * Moves the entries of due rows into the queues, a step at a time.
     * @param until moves the entries of rows that become due until this time, in ms since the epoch
     * @param onStep called before each step
     * @param ofSlots the slots of the entries
     */
    async promote(
      now: number,
      until: number,
      onStep = async (): Promise<void> => {},
      ofSlots: Iterable<string> = slots.all,
    ): Promise<void> {
      entries.promoting(until);
      for (const slot of ofSlots) {
        const range = keys.timedUntil(slot, until);
        do await onStep();
        while ((await serialised(() => promoteStep(range))) === STEP);
        entries.promoted(slot, Math.min(now, until));
      }
    },

    /**
     * Removes heads that no note names, and lowers heads that are too high. No other task may write meanwhile.
     * @returns the number of removed or lowered heads
     */
    removeStaleHeads: heads.removeStale,
    fences: keys.fences,
  };
}
