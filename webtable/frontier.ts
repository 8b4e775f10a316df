/**
 * The frontier: which rows may be selected, and when. It is an index (law 4): every row has an entry no later than the
 * moment it may be selected, while an entry may be stale, so readers check it against the row and file it anew.
 *
 * Entries of a slot stand in two zones: `r` holds rows that are due, best score first; `t` holds the others by the time
 * they become due. {@link promote} moves entries from `t` to `r` as time passes.
 */
import { batchTime } from './batch-id.js';
import { number } from './codec.js';
import type { PageChange, PageRow } from './page.js';
import { INDEX_COLUMNS } from './schema.js';
import { ALL_SLOTS, slotOf } from './partition.js';
import type { KeyRange, RowChange, Store } from './store.js';
import type { WebTable } from './web-table.js';

/** The fields of a row that decide its entry. */
export const FRONTIER_FIELDS = ['fetchTime', 'score', 'marks'] as const;
export type FrontierRow = Omit<PageRow<(typeof FRONTIER_FIELDS)[number]>, 'key' | 'damaged'>;

export interface FrontierClock {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long a generate mark holds a row, in milliseconds. */
  readonly lockExpiry: number;
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
  return Math.max(row.fetchTime ?? 0, expiry);
}

/**
 * Writes rows together with their entries in the order that no failure between two writes can leave a row without
 * one: new entries, then the rows, then the removal of old entries. Everything that changes the fetch time, the score
 * or the generate mark of a row goes through here.
 */
export async function writeIndexed(
  table: WebTable,
  changes: readonly IndexedChange[],
  clock: FrontierClock,
): Promise<void> {
  if (changes.length === 0) return;
  const added: RowChange[] = [];
  const stale: RowChange[] = [];
  for (const { before, change } of changes) {
    const after = applied(before, change);
    const entry = entryChange(change.key, after, clock);
    added.push(entry);
    if (!before) continue;
    for (const key of possibleKeys(change.key, before, clock.lockExpiry)) {
      if (key !== entry.key) stale.push({ key, clear: true });
    }
  }
  await table.store.write('frontier', added);
  await table.write(changes.map((entry) => entry.change));
  if (stale.length > 0) await table.store.write('frontier', stale);
}

/** Files the entry of a row as it stands and removes the one that was found to differ. */
export async function refile(
  table: WebTable,
  rowKey: string,
  row: FrontierRow | undefined,
  foundKey: string,
  clock: FrontierClock,
): Promise<void> {
  const changes: RowChange[] = [];
  const entry = row && entryChange(rowKey, row, clock);
  if (entry) changes.push(entry);
  if (entry?.key !== foundKey) changes.push({ key: foundKey, clear: true });
  await table.store.write('frontier', changes);
}

/** Of each row, whether it has an entry that leads to it in time. */
export async function hasEntries(
  store: Store,
  rows: readonly (FrontierRow & { readonly key: string })[],
  lockExpiry: number,
): Promise<boolean[]> {
  const keys = rows.flatMap((row) => possibleKeys(row.key, row, lockExpiry));
  const found = await store.get('frontier', keys, [INDEX_COLUMNS.frontierScore]);
  return rows.map((_, i) => found[2 * i] !== undefined || found[2 * i + 1] !== undefined);
}

/** Whether an entry is one that its row calls for. */
export function isEntryOf(entry: FrontierEntry, row: FrontierRow, lockExpiry: number): boolean {
  return possibleKeys(entry.rowKey, row, lockExpiry).includes(entry.entryKey);
}

/**
 * Moves the entries that have become due into the zone that generate reads, a step at a time, and each step by itself:
 * what changes a row at the same time must not take an entry for stale that is on its way.
 * @returns how many were moved
 */
export async function promote(table: WebTable, now: number): Promise<number> {
  let moved = 0;
  for (const slot of ALL_SLOTS) {
    let step: number;
    do {
      step = await table.exclusive('rows', () => promoteStep(table.store, slot, now));
      moved += step;
    } while (step > 0);
  }
  return moved;
}

async function promoteStep(store: Store, slot: string, now: number): Promise<number> {
  const due: FrontierEntry[] = [];
  const ranges = [{ start: `${slot}t`, end: `${slot}t${timeHex(now + 1)}` }];
  for await (const entry of readEntries(store, ranges, 1000)) due.push(entry);
  const added = due.map((entry) => scoreEntry(readyKey(slot, entry.score, entry.rowKey), entry.score));
  if (added.length > 0) await store.write('frontier', added);
  const stale = due.map((entry) => ({ key: entry.entryKey, clear: true }));
  if (stale.length > 0) await store.write('frontier', stale);
  return due.length;
}

/** The due entries of one slot, best score first and then by row key. */
export function readyEntries(store: Store, slot: string): AsyncGenerator<FrontierEntry> {
  return readEntries(store, [{ start: `${slot}r`, end: `${slot}s` }]);
}

/** Every entry of the frontier. */
export function allEntries(store: Store): AsyncGenerator<FrontierEntry> {
  return readEntries(store, [{ start: '' }]);
}

async function* readEntries(store: Store, ranges: readonly KeyRange[], limit?: number): AsyncGenerator<FrontierEntry> {
  const options = { ranges, columns: [INDEX_COLUMNS.frontierScore], ...(limit !== undefined && { limit }) };
  for await (const row of store.scan('frontier', options)) {
    const cell = row.cells.get(INDEX_COLUMNS.frontierScore);
    yield {
      entryKey: row.key,
      rowKey: row.key.slice(row.key.indexOf('|') + 1),
      score: cell?.length === 8 ? number.decode(cell) : 0,
    };
  }
}

function applied(before: FrontierRow | undefined, change: PageChange): FrontierRow {
  const held = change.marks?.generate;
  const generate = held === undefined ? before?.marks?.generate : (held ?? undefined);
  const fetchTime = change.set?.fetchTime ?? before?.fetchTime;
  const score = change.set?.score ?? before?.score;
  return {
    ...(fetchTime !== undefined && { fetchTime }),
    ...(score !== undefined && { score }),
    ...(generate !== undefined && { marks: { generate } }),
  };
}

function entryChange(rowKey: string, row: FrontierRow, { now, lockExpiry }: FrontierClock): RowChange {
  const slot = slotOf(rowKey);
  const score = row.score ?? 0;
  const at = selectableAt(row, lockExpiry);
  return scoreEntry(at <= now ? readyKey(slot, score, rowKey) : timedKey(slot, at, rowKey), score);
}

/** The keys that the entry of a row can have: in the zone of due rows, and in the other. */
function possibleKeys(rowKey: string, row: FrontierRow, lockExpiry: number): [string, string] {
  const slot = slotOf(rowKey);
  return [readyKey(slot, row.score ?? 0, rowKey), timedKey(slot, selectableAt(row, lockExpiry), rowKey)];
}

function scoreEntry(key: string, score: number): RowChange {
  return { key, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}

function readyKey(slot: string, score: number, rowKey: string): string {
  return `${slot}r${descendingHex(score)}|${rowKey}`;
}

function timedKey(slot: string, time: number, rowKey: string): string {
  return `${slot}t${timeHex(time)}|${rowKey}`;
}

function timeHex(time: number): string {
  return Math.min(Math.max(Math.floor(time), 0), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, '0');
}

const scratch = new DataView(new ArrayBuffer(8));

/** Sixteen hex digits that sort a double from high to low; -0 counts as 0. */
function descendingHex(value: number): string {
  scratch.setFloat64(0, value === 0 ? 0 : value);
  let high = scratch.getUint32(0);
  let low = scratch.getUint32(4);
  if (high < 0x8000_0000) {
    high = ~high & 0x7fff_ffff;
    low = ~low;
  }
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}
