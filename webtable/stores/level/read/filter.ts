import { FamilyCursor } from './cursor.js';
import type { LevelSnapshot } from '../database.js';
import { addFamilies } from './get.js';
import { mergedRows } from './merge.js';
import { newDraft, planRead, sortCells, type FamilyPlan, type ReadPlan, type RowDraft } from './rows.js';
import { packedCellEquals } from '../packed-cells.js';
import type { TableName } from '../../../schema.js';
import { shapeOf, splitColumn } from '../../../selectors.js';
import type { KeyRange, ScanOptions } from '../../../store.js';

/** Rows that pass and are then read together. */
const GROUP_ROWS = 32;

/**
 * The rows of the range that hold the cell. Nothing else of a row is read before it has passed. A row whose cell cannot
 * be read does not pass.
 */
export async function* filteredRows(
  snapshot: LevelSnapshot,
  table: TableName,
  { families }: ReadPlan,
  range: KeyRange,
  where: NonNullable<ScanOptions['where']>,
): AsyncGenerator<RowDraft[]> {
  const [whereFamily] = splitColumn(where.column);
  const isPacked = shapeOf(table, whereFamily) === 'packed';
  // The value at which a row passed may hold more of what is asked for, and is at hand.
  const read = families.find(({ layout }) => isPacked && layout.name === whereFamily);
  const others = families.filter((family) => family !== read);
  const passing = isPacked
    ? passingPacked(snapshot, table, range, where, read)
    : passingWide(snapshot, table, range, where);
  for await (const group of passing) {
    if (others.length === 0) {
      yield group;
      continue;
    }
    for (let i = 0; i < group.length; i += GROUP_ROWS) {
      const rows = group.slice(i, i + GROUP_ROWS);
      await addFamilies(snapshot, others, rows);
      for (const row of rows) sortCells(row);
      yield rows;
    }
  }
}

async function* passingPacked(
  snapshot: LevelSnapshot,
  table: TableName,
  range: KeyRange,
  { column, equals }: NonNullable<ScanOptions['where']>,
  read: FamilyPlan | undefined,
): AsyncGenerator<RowDraft[]> {
  const [, qualifier = ''] = splitColumn(column);
  const name = Buffer.from(qualifier, 'latin1');
  const cursor = new FamilyCursor(snapshot, planRead(table, [column]).families[0]!, range);
  try {
    for (;;) {
      await cursor.fill();
      if (cursor.key === undefined) return;
      const rows: RowDraft[] = [];
      for (let key; (key = cursor.key) !== undefined; cursor.advance()) {
        if (!passes(cursor.packed, name, equals)) continue;
        const row = newDraft(key);
        read?.addPacked(cursor.packed, row);
        rows.push(row);
      }
      yield rows;
    }
  } finally {
    await cursor.close();
  }
}

/** For a cell in a wide family. */
async function* passingWide(
  snapshot: LevelSnapshot,
  table: TableName,
  range: KeyRange,
  { column, equals }: NonNullable<ScanOptions['where']>,
): AsyncGenerator<RowDraft[]> {
  const plan = planRead(table, [column]);
  for await (const group of mergedRows(snapshot, plan, range, Infinity)) {
    const rows = group.filter(({ cells }) => {
      const cell = cells.get(column);
      return cell !== undefined && Buffer.compare(cell, equals) === 0;
    });
    yield rows.map(({ key }) => newDraft(key));
  }
}

function passes(packed: Uint8Array, name: Uint8Array, wanted: Uint8Array): boolean {
  try {
    return packedCellEquals(packed, name, wanted);
  } catch {
    return false;
  }
}
