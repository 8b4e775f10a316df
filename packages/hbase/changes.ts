import { CrawlError, safeText } from '../errors/index.js';
import { damagedCells, mergePacked, type TableName, splitColumn, type RowChange } from '../core/index.js';
import {
  CELL_OVERHEAD,
  columnsOf,
  encodeValue,
  MAX_CELL_BYTES,
  MAX_KEY_BYTES,
  RECORD_QUALIFIER,
  recordFamily,
} from './layout.js';
import { CELL_FRAME_BYTES, type Cell, type Mutation, type Target } from './requests.js';

/** A change, ready to be sent. Changes of kind `put` and `clear` can be sent in batches; each `mutate` is a separate call. */
export type PlannedChange = { readonly key: string; readonly size: number } & (
  | { readonly kind: 'put'; readonly cells: readonly Cell[]; readonly at: number | undefined }
  | { readonly kind: 'clear'; readonly at: number | undefined }
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
      if (size <= MAX_CELL_BYTES) continue;
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
    if (!edits && !clear && change.record === undefined) return change;
    const before = clear ? undefined : now.has(key) ? now.get(key) : (change.record ?? stored.get(key));
    try {
      const record = mergePacked(before?.length ? before : undefined, edits ?? { qualifiers: [], values: [] });
      now.set(key, record);
      return { ...change, record: record ?? null };
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

/**
 * Plans a change. Deletions have the timestamp `at` of the change, and puts have the next one.
 * @param change with its record, see {@link withRecords}
 */
export function planChange(table: TableName, change: RowChange): PlannedChange {
  const { key, put, clear, at } = change;
  const hasCells = (put !== undefined && put.size > 0) || (recordFamily(table) !== undefined && at !== undefined);
  if (clear && !hasCells) return { kind: 'clear', key, at, size: key.length + CELL_FRAME_BYTES };
  const all = columnsOf(table);
  const cells = cellsOf(table, change, clear ? (all ?? []) : (change.delete ?? []));
  const size = sizeOf(key, cells);
  const putAt = at === undefined ? undefined : at + 1;
  if (!clear || all) return { kind: 'put', key, cells, at: putAt, size };
  const mutations: Mutation[] = [
    { kind: 'delete', at },
    { kind: 'put', cells, at: putAt },
  ];
  return { kind: 'mutate', key, mutations, size };
}

/** Returns the new cells, the record, and empty cells for deleted columns. */
function cellsOf(table: TableName, { put, record }: RowChange, emptied: readonly string[]): readonly Cell[] {
  const recorded = recordFamily(table);
  const cells: Cell[] = [];
  const add = (column: string, value: Uint8Array): void => {
    const target = targetOf(column);
    if (target.family !== recorded) cells.push({ ...target, value });
  };
  for (const [column, value] of put ?? []) add(column, encodeValue(value));
  for (const column of emptied) if (!put?.has(column as never)) add(column, EMPTY);
  if (recorded !== undefined && record !== undefined) {
    cells.push({ family: recorded, qualifier: RECORD_QUALIFIER, value: record ?? EMPTY });
  }
  return cells;
}

export function targetOf(column: string): Required<Target> {
  const [family, qualifier = ''] = splitColumn(column);
  return { family, qualifier };
}

function sizeOf(key: string, cells: readonly Cell[]): number {
  let size = key.length + CELL_FRAME_BYTES;
  for (const { qualifier, value } of cells) size += CELL_FRAME_BYTES + qualifier.length + value.length;
  return size;
}
