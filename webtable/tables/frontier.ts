/**
 * The frontier: which rows may be selected, and when. It is an index (law 4): every row has an entry no later than the
 * moment it may be selected, while an entry may be stale, so readers check it against the row and file it anew.
 *
 * A row that is due stands in the queue of its host, best score first; the others stand by the time they become due,
 * and {@link promote} moves them as time passes. Every host with rows in its queue has a head (see frontier-heads.ts),
 * so that the best rows of all are found without looking at hosts, or at rows of a host, that come after them.
 */
import { batchTime } from '../keys/batch-id.js';
import { number } from '../pages/codec.js';
import { removeFences, writeFences } from './fences.js';
import { hasHeads, lowerHeads, raiseHeads, readHeads, removeLooseNotes, type DueScore } from './frontier-heads.js';
import { dueKey, dueRange, isDueKey, parseKey, timedKey, timedRange } from './frontier-keys.js';
import type { PageChange, PageRow } from '../pages/page.js';
import { ALL_SLOTS } from '../keys/partition.js';
import { reversedHostOf } from '../keys/row-key.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, RowChange, Store } from '../store.js';
import type { WebTable } from '../pages/web-table.js';

/** The fields of a row that decide its entry. */
export const FRONTIER_FIELDS = ['dueAt', 'score', 'marks'] as const;
export type FrontierRow = Omit<PageRow<(typeof FRONTIER_FIELDS)[number]>, 'key' | 'damaged'>;

export interface FrontierClock {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long a generate mark holds a row, in milliseconds. */
  readonly lockExpiry: number;
  /** Entries that become due up to here may stand in the queues already. Absent: up to now. */
  readonly promotedTo?: number;
}

/** A row change, with what decided the row's entry before; `before` is undefined for a row that is new. */
export interface IndexedChange {
  readonly before: FrontierRow | undefined;
  readonly change: PageChange;
}

export interface FrontierEntry {
  /** The key of the entry itself. */
  readonly entryKey: string;
  /** The key of the row it speaks of. */
  readonly rowKey: string;
  readonly score: number;
}

/** When a row may be selected, in ms since the epoch: at its fetch time, and not while a batch holds it. */
export function selectableAt(row: FrontierRow, lockExpiry: number): number {
  const held = row.marks?.generate;
  const expiry = held === undefined ? 0 : (batchTime(held) ?? 0) + lockExpiry;
  return Math.max(row.dueAt ?? 0, expiry);
}

/**
 * Writes rows together with their entries in the order that no failure between two writes can leave a row without
 * one: heads, new entries, then the rows, then the removal of old entries. Everything that changes the fetch time, the
 * score or the generate mark of a row goes through here, and one at a time.
 */
export async function writeIndexed(
  table: WebTable,
  changes: readonly IndexedChange[],
  clock: FrontierClock,
): Promise<void> {
  if (changes.length === 0) return;
  const added: FrontierEntry[] = [];
  const removed: FrontierEntry[] = [];
  for (const { before, change } of changes) {
    const entry = placeOf(change.key, applied(before, change), clock);
    added.push(entry);
    if (!before) continue;
    for (const old of likelyPlaces(change.key, before, clock)) {
      if (old.entryKey !== entry.entryKey) removed.push(old);
    }
  }
  await moveEntries(table.store, added, removed, () => table.write(changes.map(({ change }) => change)));
}

/**
 * Removes whole rows, and then the entries that lead to them: a failure between the two leaves stale entries only. One at
 * a time with everything else that changes rows, and of rows as they are in the table.
 */
export async function removeIndexed(
  table: WebTable,
  rows: readonly (FrontierRow & { readonly key: string })[],
  clock: FrontierClock,
): Promise<void> {
  if (rows.length === 0) return;
  const places = rows.flatMap((row) => likelyPlaces(row.key, row, clock));
  await moveEntries(table.store, [], places, () => table.remove(rows.map(({ key }) => key)));
}

/** An entry that was found to differ from its row, which may be gone. */
export interface StaleEntry {
  readonly entry: FrontierEntry;
  readonly row: FrontierRow | undefined;
}

/** Files the entries of rows as these stand, and removes those that were found to differ. */
export async function refile(table: WebTable, found: readonly StaleEntry[], clock: FrontierClock): Promise<void> {
  const added = found.flatMap(({ entry, row }) => (row ? placeOf(entry.rowKey, row, clock) : []));
  const right = new Set(added.map(({ entryKey }) => entryKey));
  const removed = found.map(({ entry }) => entry).filter(({ entryKey }) => !right.has(entryKey));
  await moveEntries(table.store, added, removed);
}

/** New entries with their heads, then what rests on them, then old entries with theirs. */
async function moveEntries(
  store: Store,
  added: readonly FrontierEntry[],
  removed: readonly FrontierEntry[],
  between?: () => Promise<void>,
): Promise<void> {
  const dueAdded = added.filter(isDue).map(dueScore);
  const dueRemoved = removed.filter(isDue).map(dueScore);
  const heads = await readHeads(store, [...dueAdded, ...dueRemoved]);
  await raiseHeads(store, heads, dueAdded);
  if (added.length > 0) await store.write('frontier', added.map(entryPut));
  await between?.();
  if (removed.length > 0) {
    await store.write(
      'frontier',
      removed.map(({ entryKey }) => ({ key: entryKey, clear: true })),
    );
  }
  await lowerHeads(store, heads, dueRemoved);
}

/** Of each row, whether it has an entry that leads to it in time. */
export async function hasEntries(
  store: Store,
  rows: readonly (FrontierRow & { readonly key: string })[],
  lockExpiry: number,
): Promise<boolean[]> {
  const places = rows.flatMap((row) => possiblePlaces(row.key, row, lockExpiry));
  const keys = places.map(({ entryKey }) => entryKey);
  const found = await store.get('frontier', keys, [INDEX_COLUMNS.frontierScore]);
  const hasHead = await hasHeads(store, places.filter(isDue).map(dueScore));
  return rows.map((_, i) => (found[2 * i] !== undefined && hasHead[i]!) || found[2 * i + 1] !== undefined);
}

/**
 * Enters the rows that have no entry which leads to them in time.
 * @returns how many had none
 */
export async function enterMissing(
  { store }: WebTable,
  rows: readonly (FrontierRow & { readonly key: string })[],
  clock: FrontierClock,
): Promise<number> {
  const found = await hasEntries(store, rows, clock.lockExpiry);
  const added = rows.filter((_, i) => !found[i]).map((row) => placeOf(row.key, row, clock));
  await removeLooseNotes(store, added.map(dueScore));
  await moveEntries(store, added, []);
  return added.length;
}

/** Whether an entry is one that its row calls for. */
export function isEntryOf(entry: FrontierEntry, row: FrontierRow, lockExpiry: number): boolean {
  return possiblePlaces(entry.rowKey, row, lockExpiry).some(({ entryKey }) => entryKey === entry.entryKey);
}

/** Entries that are moved in one step; nothing else changes rows meanwhile. */
const STEP = 1000;

/**
 * Moves the entries that have become due into the queues that generate reads, a step at a time, and each step by itself:
 * what changes a row at the same time must not take an entry for stale that is on its way.
 *
 * Behind what is due stand the entries of rows that batches held and let go of, long gone, so a fence is put there
 * meanwhile (see fences.ts).
 * @returns how many were moved
 */
export async function promote(table: WebTable, now: number): Promise<number> {
  const fences = ALL_SLOTS.map((slot) => timedRange(slot, now).end!);
  await writeFences(table.store, 'frontier', fences);
  let moved = 0;
  for (const slot of ALL_SLOTS) {
    let step: { readonly read: number; readonly moved: number };
    do {
      step = await table.exclusive('rows', () => promoteStep(table.store, timedRange(slot, now)));
      moved += step.moved;
    } while (step.read === STEP);
  }
  await removeFences(table.store, 'frontier', fences);
  return moved;
}

async function promoteStep(store: Store, range: KeyRange): Promise<{ read: number; moved: number }> {
  const due: FrontierEntry[] = [];
  /** Fences that a killed run has left there. */
  const fences: string[] = [];
  for await (const { key, cells } of store.scan('frontier', { ranges: [range], columns: COLUMNS, limit: STEP })) {
    const entry = entryOf(key, cells);
    if (entry) due.push(entry);
    else fences.push(key);
  }
  await moveEntries(
    store,
    due.map(({ rowKey, score }) => duePlace(rowKey, score)),
    due,
  );
  if (fences.length > 0) await removeFences(store, 'frontier', fences);
  return { read: due.length + fences.length, moved: due.length };
}

/**
 * The rows of a host that are due, best score first and then by row key.
 * @param host reversed
 * @param from the score of its head, or the key of the entry that was read last
 */
export async function dueEntries(
  store: Store,
  host: string,
  from: number | string,
  limit: number,
): Promise<FrontierEntry[]> {
  const entries: FrontierEntry[] = [];
  for await (const entry of readEntries(store, dueRange(host, from), limit)) entries.push(entry);
  return entries;
}

/** Every entry of a row in the frontier. */
export function allEntries(store: Store): AsyncGenerator<FrontierEntry> {
  return readEntries(store, { start: '' });
}

async function* readEntries(store: Store, range: KeyRange, limit?: number): AsyncGenerator<FrontierEntry> {
  const options = { ranges: [range], columns: COLUMNS, ...(limit !== undefined && { limit }) };
  for await (const { key, cells } of store.scan('frontier', options)) {
    const entry = entryOf(key, cells);
    if (entry) yield entry;
  }
}

const COLUMNS = [INDEX_COLUMNS.frontierScore];

/** The entry of a row; undefined where the key is no such entry's. */
function entryOf(entryKey: string, cells: ReadonlyMap<string, Uint8Array>): FrontierEntry | undefined {
  const parsed = parseKey(entryKey);
  if (parsed.kind !== 'row') return undefined;
  const cell = cells.get(INDEX_COLUMNS.frontierScore);
  return { entryKey, rowKey: parsed.rowKey, score: cell?.length === 8 ? number.decode(cell) : 0 };
}

function applied(before: FrontierRow | undefined, change: PageChange): FrontierRow {
  const held = change.marks?.generate;
  const generate = held === undefined ? before?.marks?.generate : (held ?? undefined);
  const dueAt = change.set?.dueAt ?? before?.dueAt;
  const score = change.set?.score ?? before?.score;
  return {
    ...(dueAt !== undefined && { dueAt }),
    ...(score !== undefined && { score }),
    ...(generate !== undefined && { marks: { generate } }),
  };
}

function placeOf(rowKey: string, row: FrontierRow, { now, lockExpiry }: FrontierClock): FrontierEntry {
  const score = row.score ?? 0;
  const at = selectableAt(row, lockExpiry);
  return at <= now ? duePlace(rowKey, score) : { entryKey: timedKey(at, rowKey), rowKey, score };
}

/** Where the entry of a row can stand: in the queue of its host, and among those that wait for their time. */
function possiblePlaces(rowKey: string, row: FrontierRow, lockExpiry: number): [FrontierEntry, FrontierEntry] {
  const score = row.score ?? 0;
  const entryKey = timedKey(selectableAt(row, lockExpiry), rowKey);
  return [duePlace(rowKey, score), { entryKey, rowKey, score }];
}

/** The same, less the queue for a row that is not due: it stands there only where it was due by another clock or setting. */
function likelyPlaces(rowKey: string, row: FrontierRow, clock: FrontierClock): readonly FrontierEntry[] {
  const { now, lockExpiry, promotedTo = now } = clock;
  const places = possiblePlaces(rowKey, row, lockExpiry);
  return selectableAt(row, lockExpiry) > Math.max(now, promotedTo) ? places.slice(1) : places;
}

function duePlace(rowKey: string, score: number): FrontierEntry {
  return { entryKey: dueKey(score, rowKey), rowKey, score };
}

const isDue = ({ entryKey }: FrontierEntry): boolean => isDueKey(entryKey);
const dueScore = ({ rowKey, score }: FrontierEntry): DueScore => ({ host: reversedHostOf(rowKey), score });

/** A row of an index holds one cell, so that it is written without reading what is there. */
function entryPut({ entryKey, score }: FrontierEntry): RowChange {
  return { key: entryKey, clear: true, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}
