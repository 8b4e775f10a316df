import { CrawlError, safeText } from '../errors/index.js';
import { damagedCells, mergePacked, TABLES, type TableName, splitColumn, type RowChange } from '../core/index.js';
import {
  CELL_OVERHEAD,
  columnsOf,
  encodeValue,
  keepsVersion,
  MOST_CELL_BYTES,
  MAX_KEY_BYTES,
  RECORD_QUALIFIER,
  recordFamily,
  VERSION_QUALIFIER,
  versionFamily,
} from './layout.js';
import { CELL_FRAME_BYTES, type Cell, type Mutation, type Target } from './requests.js';
import type { Ticks } from './ticks.js';

/** Number of ticks of a change. Deletions have the first tick, and puts have the second. */
export const TICKS_OF_CHANGE = 2;

/** A change, ready to be sent. Changes of kind `put` and `clear` can be sent in batches; each `mutate` is a separate call. */
export type PlannedChange = { readonly key: string; readonly size: number } & (
  | { readonly kind: 'put'; readonly cells: readonly Cell[]; readonly tick: number }
  | { readonly kind: 'clear'; readonly tick: number }
  | { readonly kind: 'mutate'; readonly mutations: readonly Mutation[] }
);

const EMPTY = new Uint8Array(0);

/** @throws CrawlError STORE_FAILED for a key or a cell beyond the limits of HBase */
export function checkSizes(changes: readonly RowChange[]): void {
  for (const { key, put } of changes) {
    if (key.length > MAX_KEY_BYTES) {
      const found = `one of ${key.length} that begins with "${safeText(key, 60)}"`;
      throw new CrawlError('STORE_FAILED', `expected a row key of at most ${MAX_KEY_BYTES} bytes, found ${found}`);
    }
    for (const [column, value] of put ?? []) {
      const size = key.length + column.length + value.length + CELL_OVERHEAD;
      if (size <= MOST_CELL_BYTES) continue;
      const found = `${size} bytes in ${safeText(column, 60)} of ${safeText(key, 100)}`;
      throw new CrawlError('STORE_FAILED', `expected a cell of at most 10 MiB with its key, found ${found}`, {
        hint: 'HBase accepts no larger cell; store bodies in segments (?segments=<folder>), or lower http.contentLimit',
      });
    }
  }
}

/** Whether a change needs the record of its row, and does not bring it along. */
export function lacksRecord(table: TableName, change: RowChange): boolean {
  return change.record === undefined && !change.clear && recordEdits(table, change) !== undefined;
}

/**
 * Returns the changes with the records that their rows have after each of them.
 * @param stored the present records, of rows whose changes do not bring them along
 * @throws CrawlError TABLE_DAMAGED
 */
export function withRecords(
  table: TableName,
  changes: readonly RowChange[],
  stored: ReadonlyMap<string, Uint8Array | undefined>,
): readonly RowChange[] {
  const family = recordFamily(table);
  if (family === undefined) return changes;
  const now = new Map<string, Uint8Array | undefined>();
  return changes.map((change) => {
    const { key, clear } = change;
    const edits = recordEdits(table, change);
    if (!edits && !clear) return change;
    const before = clear ? undefined : now.has(key) ? now.get(key) : (change.record ?? stored.get(key));
    try {
      const record = mergePacked(before?.length ? before : undefined, edits ?? { qualifiers: [], values: [] });
      now.set(key, record);
      return { ...change, record };
    } catch (error) {
      throw damagedCells(key, family, error);
    }
  });
}

/** The edits of the record of a row, in order; undefined if there are none. */
function recordEdits(table: TableName, { put, delete: remove = [] }: RowChange) {
  const family = recordFamily(table);
  if (family === undefined) return undefined;
  const start = `${family}:`;
  const edits = new Map<string, Uint8Array | undefined>();
  for (const column of remove) if (column.startsWith(start)) edits.set(column.slice(start.length), undefined);
  for (const [column, value] of put ?? []) if (column.startsWith(start)) edits.set(column.slice(start.length), value);
  if (edits.size === 0) return undefined;
  const sorted = [...edits].sort(([a], [b]) => (a < b ? -1 : 1));
  return { qualifiers: sorted.map(([name]) => name), values: sorted.map(([, value]) => value) };
}

/** Plans a change without a condition on the row. @param tick the first of {@link TICKS_OF_CHANGE} */
export function planChange(table: TableName, change: RowChange, tick: number, ticks: Ticks): PlannedChange {
  const { key, put, clear } = change;
  const hasPuts = put !== undefined && put.size > 0;
  if (clear && !hasPuts) return { kind: 'clear', key, tick: tick + 1, size: key.length + CELL_FRAME_BYTES };
  const all = columnsOf(table);
  const cells = cellsOf(table, change, tick + 1, ticks, clear ? (all ?? []) : (change.delete ?? []));
  const size = sizeOf(key, cells);
  if (!clear || all) return { kind: 'put', key, cells, tick: tick + 1, size };
  const mutations: Mutation[] = [
    { kind: 'delete', tick },
    { kind: 'put', cells, tick: tick + 1 },
  ];
  return { kind: 'mutate', key, mutations, size };
}

/**
 * Plans a change that is made only if the row has a certain version. Such a change is a call of its own, so a deletion adds little to its
 * cost. Therefore columns of a `wide` family are deleted, and only other columns are replaced by empty cells.
 * @param seen the tick of the required version; undefined for a row without a version
 */
export function planUnchanged(
  table: TableName,
  change: RowChange,
  tick: number,
  ticks: Ticks,
  seen: number | undefined,
): { readonly mutations: readonly Mutation[]; readonly size: number } {
  const { key, put, clear } = change;
  const all = columnsOf(table);
  if (clear) {
    const isEmpty = put === undefined || put.size === 0;
    // The deletion gets the tick of the existing cells. A later tick would hide the next put of another process whose clock is slightly
    // behind.
    if (isEmpty && !keepsVersion(table))
      return { mutations: [{ kind: 'delete', tick: seen ?? tick + 1 }], size: key.length * 2 };
    const cells = cellsOf(table, change, tick + 1, ticks, isEmpty ? [] : (all ?? []));
    const kept: Mutation = { kind: 'put', cells, tick: tick + 1 };
    const mutations: Mutation[] = all && !isEmpty ? [kept] : [{ kind: 'delete', tick }, kept];
    return { mutations, size: sizeOf(key, cells) };
  }
  const deleted = (change.delete ?? []).filter((column) => !put?.has(column));
  const isWide = (column: string): boolean => {
    const families: Readonly<Record<string, string>> = TABLES[table];
    return families[splitColumn(column)[0]] === 'wide';
  };
  const removed = deleted.filter(isWide);
  const emptied = deleted.filter((column) => !isWide(column));
  const cells = cellsOf(table, change, tick + 1, ticks, emptied);
  const mutations: Mutation[] = [{ kind: 'put', cells, tick: tick + 1 }];
  if (removed.length > 0) mutations.push({ kind: 'delete', columns: removed.map(targetOf), tick: tick + 1 });
  return { mutations, size: sizeOf(key, cells) + removed.length * CELL_FRAME_BYTES };
}

/** Returns the new cells, empty cells for deleted columns, and the cell with the version. */
function cellsOf(
  table: TableName,
  { put, record }: RowChange,
  tick: number,
  ticks: Ticks,
  emptied: readonly string[],
): readonly Cell[] {
  const cells: Cell[] = [];
  const recorded = recordFamily(table);
  const isApart = ({ family }: Target): boolean => family !== recorded;
  for (const [column, value] of put ?? []) cells.push({ ...targetOf(column), value: encodeValue(value) });
  for (const column of emptied) if (!put?.has(column as never)) cells.push({ ...targetOf(column), value: EMPTY });
  if (recorded !== undefined && cells.some((cell) => !isApart(cell))) {
    cells.splice(0, Infinity, ...cells.filter(isApart));
    cells.push({ family: recorded, qualifier: RECORD_QUALIFIER, value: record ?? EMPTY });
  }
  cells.push({ family: versionFamily(table), qualifier: VERSION_QUALIFIER, value: ticks.versionCell(tick) });
  return cells;
}

function targetOf(column: string): Required<Target> {
  const [family, qualifier = ''] = splitColumn(column);
  return { family, qualifier };
}

function sizeOf(key: string, cells: readonly Cell[]): number {
  let size = key.length + CELL_FRAME_BYTES;
  for (const { qualifier, value } of cells) size += CELL_FRAME_BYTES + qualifier.length + value.length;
  return size;
}
