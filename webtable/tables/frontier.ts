/**
 * The frontier: which rows may be selected, and when. It is an index (law 4): every row that no batch holds has an entry no
 * later than the moment it may be selected, while an entry may be stale, so readers check it against the row and correct
 * it. A row that a batch holds has none: the index of the batch leads to it.
 *
 * A row that is due is in the queue of its host, best score first; others are entered by the time at which they become
 * due, and {@link Frontier.promote} moves them as time passes. Every host with rows in its queue has a head (see
 * frontier-heads.ts), so that the best rows of all are found without looking at hosts, or at rows of a host, that come
 * after them. A row that generate has refused is entered by what refused it, and is not met again until that has changed.
 */
import { hostKeyOfRow, type HostKey } from '../keys/host-key.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { number } from '../pages/codec.js';
import type { PageChange } from '../pages/page.js';
import { readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, RowChange, Store, StoredRow } from '../store.js';
import { createFrontierHeads, scoreIn, type HostScore } from './frontier-heads.js';
import { createFrontierKeys } from './frontier-keys.js';
import { isEnteredAlike, isHeld, rowAfter, type FrontierRow } from './frontier-rows.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';

/** A row change, with what decided the row's entry before; `before` is undefined where there is no row. */
export interface IndexedChange {
  readonly before: FrontierRow | undefined;
  /** Absent where only entries are put right. */
  readonly change?: PageChange;
  /** Entries that were found to differ from the row. */
  readonly stale?: readonly FrontierEntry[];
  /** A change before it was lost, and may have left another score in the entry of the row. */
  readonly isAgain?: boolean;
}

/** An entry of a row. */
export interface FrontierEntry {
  /** The key of the entry itself. */
  readonly entryKey: string;
  readonly rowKey: string;
  readonly score: number;
  /** Of the entry when it was read, where the store knows versions. */
  readonly version?: string | undefined;
}

/** An entry that was found to differ from its row, which may be gone. */
export interface StaleEntry {
  readonly entry: FrontierEntry;
  readonly row: FrontierRow | undefined;
}

/** Which rows of a table may be selected, and when. */
export type Frontier = ReturnType<typeof createFrontier>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** Entries that are read, or moved, in one step. */
const STEP = 1000;
/** @param inTurn runs a step while nobody else changes rows */
export function createFrontier(store: Store, slots: Slots, inTurn: <T>(step: () => Promise<T>) => Promise<T>) {
  const keys = createFrontierKeys(slots);
  const heads = createFrontierHeads(store, keys, slots);
  /** What was due then in a slot is in the queues: this process has moved it there. */
  const promotedTo = new Map<string, number>();
  /** What becomes due until then may be in the queues. */
  let queuedTo = -Infinity;

  const isDue = ({ entryKey }: FrontierEntry): boolean => keys.isDue(entryKey);
  function dueScores(entries: readonly FrontierEntry[]): HostScore[] {
    const scores: HostScore[] = [];
    for (const entry of entries) {
      if (isDue(entry)) scores.push({ host: hostKeyOfRow(entry.rowKey), score: entry.score });
    }
    return scores;
  }

  /** None while a batch holds the row. */
  function entryFor(rowKey: string, row: FrontierRow, now: number): FrontierEntry | undefined {
    const { dueAt = 0, score = 0, refusedBy } = row;
    if (isHeld(row)) return undefined;
    if (refusedBy !== undefined) return { entryKey: keys.refused(refusedBy, rowKey), rowKey, score };
    return { entryKey: dueAt <= now ? keys.due(score, rowKey) : keys.timed(dueAt, rowKey), rowKey, score };
  }

  /** Every entry that a row may have, the right one first. By another clock it was due, or was not, when it was entered. */
  function entriesFor(rowKey: string, row: FrontierRow, now: number): FrontierEntry[] {
    const right = entryFor(rowKey, row, now);
    if (!right) return [];
    if (row.refusedBy !== undefined) return [right];
    const { dueAt = 0, score = 0 } = row;
    const entryKey = dueAt <= now ? keys.timed(dueAt, rowKey) : keys.due(score, rowKey);
    return [right, { entryKey, rowKey, score }];
  }

  /** The entries that a row as it was may have. More than one where nobody knows whether it has been promoted. */
  function entriesBefore(rowKey: string, row: FrontierRow, now: number): FrontierEntry[] {
    const { dueAt = 0 } = row;
    const promoted = promotedTo.size === 0 ? undefined : promotedTo.get(slots.of(hostKeyOfRow(rowKey)));
    const isPromoted = promoted !== undefined && dueAt <= promoted;
    if (!isPromoted && dueAt <= Math.max(now, queuedTo)) return entriesFor(rowKey, row, now);
    const entry = entryFor(rowKey, row, isPromoted ? dueAt : now);
    return entry ? [entry] : [];
  }

  /**
   * New entries with their heads, then what rests on them, then the removal of old entries with theirs. An entry that somebody
   * else has put again since it was read, or since before the rows were written, stays.
   */
  async function move(
    added: readonly FrontierEntry[],
    removed: readonly FrontierEntry[],
    between?: () => Promise<ReadonlySet<string> | void>,
  ): Promise<void> {
    const dueAdded = dueScores(added);
    const found = await heads.read([...dueAdded, ...dueScores(removed)]);
    const olds = await withVersions(removed);
    if (added.length > 0) await store.write('frontier', added.map(entryPut));
    await heads.raise(found, dueAdded);
    const kept = (await between?.()) ?? new Set();
    const gone = kept.size > 0 ? olds.filter(({ rowKey }) => !kept.has(rowKey)) : olds;
    await writeUnchanged(store, 'frontier', gone.map(entryRemoval));
    await heads.lower(found, dueScores(gone));
  }

  /** On a store that knows versions: those of these entries that are there, each with its version. */
  async function withVersions(entries: readonly FrontierEntry[]): Promise<readonly FrontierEntry[]> {
    if (!store.writeUnchanged) return entries;
    const unknown = entries.filter(({ version }) => version === undefined);
    if (unknown.length === 0) return entries;
    const keys = unknown.map(({ entryKey }) => entryKey);
    const rows = await store.get('frontier', keys, COLUMNS);
    const versions = new Map(keys.map((key, i) => [key, rows[i]?.version]));
    return entries
      .map((entry) => ({ ...entry, version: entry.version ?? versions.get(entry.entryKey) }))
      .filter(({ version }) => version !== undefined);
  }

  async function hasEntries(rows: readonly (FrontierRow & { readonly key: string })[]): Promise<boolean[]> {
    const wanted = rows.map((row) => entriesFor(row.key, row, 0));
    const entries = wanted.flat();
    const found = await store.get(
      'frontier',
      entries.map(({ entryKey }) => entryKey),
      COLUMNS,
    );
    const lead = await heads.lead(dueScores(entries));
    const isThere = new Set<string>();
    let at = 0;
    for (const [i, entry] of entries.entries()) {
      const isReached = !isDue(entry) || lead[at++];
      if (found[i] && isReached) isThere.add(entry.entryKey);
    }
    return rows.map((row, i) => isHeld(row) || wanted[i]!.some(({ entryKey }) => isThere.has(entryKey)));
  }

  async function promoteStep(range: KeyRange): Promise<number> {
    const rows = await readRange(store, 'frontier', COLUMNS, range, STEP);
    const timed = rows.flatMap(toEntry);
    await move(
      timed.map(({ rowKey, score }) => ({ entryKey: keys.due(score, rowKey), rowKey, score })),
      timed,
    );
    return rows.length;
  }

  /** The entry of a row; none where the key is no such entry's. */
  function toEntry({ key, cells, version }: StoredRow): FrontierEntry[] {
    const parsed = keys.parse(key);
    return 'rowKey' in parsed ? [{ entryKey: key, rowKey: parsed.rowKey, score: scoreIn(cells) ?? 0, version }] : [];
  }

  async function write(
    changes: readonly IndexedChange[],
    now: number,
    writeRows: () => Promise<ReadonlySet<string> | void>,
  ): Promise<void> {
    const added: FrontierEntry[] = [];
    const removed: FrontierEntry[] = [];
    for (const { before, change, stale = [], isAgain } of changes) {
      const key = change?.key ?? stale[0]!.rowKey;
      const after = change ? rowAfter(before, change) : before;
      // Whichever entry it has, by whichever clock, that one still holds.
      const isAlike = before !== undefined && after !== undefined && isEnteredAlike(before, after);
      if (isAlike && stale.length === 0 && !isAgain) continue;
      const entry = after && entryFor(key, after, now);
      if (entry) added.push(entry);
      const olds = before && !isAlike ? entriesBefore(key, before, now) : [];
      for (const old of stale) if (old.entryKey !== entry?.entryKey) removed.push(old);
      for (const old of olds) if (old.entryKey !== entry?.entryKey) removed.push(old);
    }
    await move(added, removed, async () => {
      const lost = (await writeRows()) ?? new Set();
      if (!store.writeUnchanged) return lost;
      // Absent rows have no version: one that was made and removed meanwhile may have taken the entry of this one with it.
      const isNew = new Set(changes.flatMap(({ before, change }) => (before || !change ? [] : [change.key])));
      const again = added.filter(({ rowKey }) => isNew.has(rowKey) && !lost.has(rowKey));
      if (again.length > 0) await move(again, []);
      return lost;
    });
  }

  return {
    /**
     * The heads of all hosts, the best first. After a crash one host may have several, and one may be too high.
     * @param of the slots that are read; absent: all
     */
    heads: heads.bestFirst,
    /** Whether each row can be found in time. */
    hasEntries,

    /**
     * Writes rows together with their entries, in the order that no failure between two writes can leave a row without one:
     * heads, new entries, then the rows, then the removal of old entries.
     * @param writeRows writes the rows; resolves to the keys of those that it could not, whose old entries then stay
     */
    write,

    /** Removes whole rows by `removeRows`, which answers as `writeRows`, then the entries that lead to them. */
    async remove(
      rows: readonly (FrontierRow & { readonly key: string })[],
      now: number,
      removeRows: () => Promise<ReadonlySet<string>>,
    ): Promise<void> {
      const entries = rows.flatMap((row) => entriesBefore(row.key, row, now));
      await move([], entries, removeRows);
    },

    /** Enters rows as they are, and removes the entries that were found to differ from them. Nothing else may write meanwhile. */
    correct: (found: readonly StaleEntry[], now: number): Promise<void> =>
      write(
        found.map(({ entry, row }) => ({ before: row, stale: [entry] })),
        now,
        async () => {},
      ),

    /**
     * Enters the rows that have no entry which leads to them in time.
     * @returns how many had none
     */
    async enterMissing(rows: readonly (FrontierRow & { readonly key: string })[], now: number): Promise<number> {
      const found = await hasEntries(rows);
      const added = rows.filter((_, i) => !found[i]).map((row) => entryFor(row.key, row, now)!);
      await heads.removeLooseNotes(dueScores(added));
      await move(added, []);
      return added.length;
    },

    /** Whether an entry is one that its row calls for. */
    isEntryOf: (entry: FrontierEntry, row: FrontierRow): boolean =>
      entriesFor(entry.rowKey, row, 0).some(({ entryKey }) => entryKey === entry.entryKey),

    /**
     * Moves the entries that have become due into the queues, a step at a time.
     * @param until what becomes due until then is moved
     * @param onStep called before each step
     * @param of the slots in which they are moved
     */
    async promote(
      now: number,
      until: number,
      onStep = async (): Promise<void> => {},
      of: Iterable<string> = slots.all,
    ): Promise<void> {
      queuedTo = Math.max(queuedTo, until);
      for (const slot of of) {
        const range = keys.timedUntil(slot, until);
        do await onStep();
        while ((await inTurn(() => promoteStep(range))) === STEP);
        promotedTo.set(slot, Math.max(promotedTo.get(slot) ?? -Infinity, Math.min(now, until)));
      }
    },

    /**
     * The rows of a host that are due, best score first and then by row key.
     * @param from the score of its head, or the key of the entry that was read last
     */
    async due(host: HostKey, from: number | string, limit: number): Promise<FrontierEntry[]> {
      return (await readRange(store, 'frontier', COLUMNS, keys.dueRows(host, from), limit)).flatMap(toEntry);
    },

    /**
     * Counts the rows that are due and held by no batch: a few entries may be stale. It reads one small entry for each.
     * @param limit it stops there
     */
    async countDue(now: number, limit = Infinity): Promise<number> {
      const ranges = slots.all.flatMap((slot) => [keys.queues(slot), keys.timedUntil(slot, now)]);
      let count = 0;
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, ranges, STEP)) {
        count += rows.filter(({ key }) => 'rowKey' in keys.parse(key)).length;
        if (count >= limit) return limit;
      }
      return count;
    },

    /** Every entry of a row, in steps. @param of the slots that are read; absent: all */
    async *entries(of?: Iterable<string>): AsyncGenerator<FrontierEntry[]> {
      const ranges = of ? Array.from(of, (slot) => keys.ofSlot(slot)) : [{ start: '' }];
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, ranges, STEP)) yield rows.flatMap(toEntry);
    },

    /** The causes for which rows of these slots were refused. */
    async refusalCauses(of: Iterable<string> = slots.all): Promise<string[]> {
      const causes = new Set<string>();
      for (const slot of of) {
        for (let from = ''; ;) {
          const [row] = await readRange(store, 'frontier', COLUMNS, keys.refusedFrom(slot, from), 1);
          const parsed = row && keys.parse(row.key);
          if (parsed?.kind !== 'refused') break;
          causes.add(parsed.cause);
          from = `${parsed.cause}${FENCE}`;
        }
      }
      return [...causes];
    },

    /** The rows of these slots that were refused for a cause, in steps. */
    async *refused(cause: string, of: Iterable<string> = slots.all): AsyncGenerator<FrontierEntry[]> {
      const ranges = Array.from(of, (slot) => keys.refusedBy(slot, cause));
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, ranges, STEP)) yield rows.flatMap(toEntry);
    },

    /**
     * Removes heads that lead nowhere, and lowers those that are too high. Nothing else may write meanwhile.
     * @param of the slots that are looked at; absent: all
     * @returns how many were
     */
    removeStaleHeads: heads.removeStale,
    fences: keys.fences,
  };
}

/** A row of an index holds one cell, so that it is written without reading what is there. */
function entryPut({ entryKey, score }: FrontierEntry): RowChange {
  return { key: entryKey, clear: true, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}

function entryRemoval({ entryKey: key, version }: FrontierEntry): VersionedChange {
  return { change: { key, clear: true }, version };
}
