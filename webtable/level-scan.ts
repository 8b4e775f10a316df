import { FamilyCursor } from './level-cursor.js';
import type { LevelSnapshot } from './level-database.js';
import { readRows } from './level-get.js';
import { addBodies, finishRow, newDraft, planRead, type ReadPlan, type RowDraft } from './level-rows.js';
import { packedCellEquals } from './packed-cells.js';
import type { TableName } from './schema.js';
import { shapeOf, splitColumn } from './selectors.js';
import type { KeyRange, ScanOptions, StoredRow } from './store.js';

/** Rows that pass a filter and are then read together. */
const GROUP_ROWS = 32;
/** Bytes of bodies held at a time, where a single one is not larger. */
const GROUP_BYTES = 1024 * 1024;

/** The rows of a scan, all from this snapshot, which stays open. */
export async function* scanRows(
  snapshot: LevelSnapshot,
  table: TableName,
  { columns, ranges = [{ start: '' }], where, limit = Infinity }: ScanOptions,
): AsyncGenerator<StoredRow> {
  const plan = planRead(table, columns);
  let left = limit;
  for (const range of ranges) {
    if (left <= 0) return;
    if (range.end !== undefined && range.end <= range.start) continue;
    const groups = where ? filteredRows(snapshot, table, plan, range, where) : mergedRows(snapshot, plan, range, left);
    for await (const group of withBodies(snapshot, plan, groups)) {
      for (const draft of group) {
        const row = finishRow(draft);
        if (!row) continue;
        yield row;
        if (--left <= 0) return;
      }
    }
  }
}

/** All rows of the range, joined from one cursor for each family; `wanted` is how many will be asked for at most. */
async function* mergedRows(
  snapshot: LevelSnapshot,
  { families }: ReadPlan,
  range: KeyRange,
  wanted: number,
): AsyncGenerator<RowDraft[]> {
  const cursors = families.map((family) => new FamilyCursor(snapshot, family, range, wanted));
  try {
    for (;;) {
      const group: RowDraft[] = [];
      for (const cursor of cursors) if (cursor.isEmpty) await cursor.fill();
      let readOn = false;
      // A row that had to be read on ends the group, so that a group holds little more than what was read ahead.
      while (!readOn && !cursors.some((cursor) => cursor.isEmpty)) {
        const key = lowestKey(cursors);
        if (key === undefined) {
          if (group.length > 0) yield group;
          return;
        }
        const row = newDraft(key);
        for (const cursor of cursors) {
          if (cursor.key !== key) continue;
          const rest = cursor.take(row);
          if (!rest) continue;
          readOn = true;
          await rest;
        }
        group.push(row);
      }
      yield group;
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }
}

function lowestKey(cursors: readonly FamilyCursor[]): string | undefined {
  let lowest: string | undefined;
  for (const { key } of cursors) if (key !== undefined && (lowest === undefined || key < lowest)) lowest = key;
  return lowest;
}

/** The rows of the range that hold the cell. Nothing else of a row is read before it has passed. */
async function* filteredRows(
  snapshot: LevelSnapshot,
  table: TableName,
  plan: ReadPlan,
  range: KeyRange,
  where: NonNullable<ScanOptions['where']>,
): AsyncGenerator<RowDraft[]> {
  for await (const keys of passingKeys(snapshot, table, range, where)) {
    for (let i = 0; i < keys.length; i += GROUP_ROWS) {
      yield await readRows(snapshot, plan, keys.slice(i, i + GROUP_ROWS));
    }
  }
}

/** A row whose cell can not be read does not pass. */
async function* passingKeys(
  snapshot: LevelSnapshot,
  table: TableName,
  range: KeyRange,
  { column, equals }: NonNullable<ScanOptions['where']>,
): AsyncGenerator<string[]> {
  const [family, qualifier = ''] = splitColumn(column);
  const plan = planRead(table, [column]);
  if (shapeOf(table, family) !== 'packed') {
    for await (const group of withBodies(snapshot, plan, mergedRows(snapshot, plan, range, Infinity))) {
      yield group.filter(({ cells }) => isEqual(cells.get(column), equals)).map(({ key }) => key);
    }
    return;
  }
  const name = Buffer.from(qualifier, 'latin1');
  const cursor = new FamilyCursor(snapshot, plan.families[0]!, range);
  try {
    for (;;) {
      const keys: string[] = [];
      await cursor.fill();
      if (cursor.key === undefined) return;
      for (let key; (key = cursor.key) !== undefined; cursor.advance()) {
        if (passes(cursor.packed, name, equals)) keys.push(key);
      }
      yield keys;
    }
  } finally {
    await cursor.close();
  }
}

function isEqual(cell: Uint8Array | undefined, wanted: Uint8Array): boolean {
  return cell !== undefined && Buffer.compare(cell, wanted) === 0;
}

function passes(packed: Uint8Array, name: Uint8Array, wanted: Uint8Array): boolean {
  try {
    return packedCellEquals(packed, name, wanted);
  } catch {
    return false;
  }
}

/** Splits the groups so that the bodies of one are not too large together, and reads them. */
async function* withBodies(
  snapshot: LevelSnapshot,
  { body }: ReadPlan,
  groups: AsyncIterable<RowDraft[]>,
): AsyncGenerator<RowDraft[]> {
  for await (const group of groups) {
    if (!body) {
      yield group;
      continue;
    }
    let part: RowDraft[] = [];
    let bytes = 0;
    for (const row of group) {
      const length = row.pointer?.length ?? 0;
      if (part.length > 0 && bytes + length > GROUP_BYTES) {
        await addBodies(snapshot, body, part);
        yield part;
        part = [];
        bytes = 0;
      }
      part.push(row);
      bytes += length;
    }
    await addBodies(snapshot, body, part);
    yield part;
  }
}
