import { FamilyCursor } from './cursor.js';
import type { LevelSnapshot } from '../database.js';
import { finishRow, newDraft, type FamilyPlan, type RowDraft } from './rows.js';
import type { KeyRange, ScanOptions, StoredRow } from '../../../store.js';

/** Yields the rows of a scan, all from the same snapshot. The caller closes the snapshot. */
export async function* scanRows(
  snapshot: LevelSnapshot,
  families: readonly FamilyPlan[],
  { ranges = [{ start: '' }], limit = Infinity }: ScanOptions,
): AsyncGenerator<StoredRow> {
  let left = limit;
  for (const range of ranges) {
    if (left <= 0) return;
    if (range.end !== undefined && range.end <= range.start) continue;
    for await (const group of mergedRows(snapshot, families, range, left)) {
      for (const draft of group) {
        const row = finishRow(draft);
        if (!row) continue;
        yield row;
        if (--left <= 0) return;
      }
    }
  }
}

/** Yields all rows of the range, merged from one cursor for each family. `wanted` is the maximum number of rows that will be read. */
async function* mergedRows(
  snapshot: LevelSnapshot,
  families: readonly FamilyPlan[],
  range: KeyRange,
  wanted: number,
): AsyncGenerator<RowDraft[]> {
  const cursors = families.map((family) => new FamilyCursor(snapshot, family, range, wanted));
  try {
    for (;;) {
      const group: RowDraft[] = [];
      for (const cursor of cursors) if (cursor.isEmpty) await cursor.fill();
      let readOn = false;
      // A row that needs another read ends the group, so a group is hardly larger than the entries that were read ahead.
      while (!readOn && !cursors.some(isEmpty)) {
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

const isEmpty = (cursor: FamilyCursor): boolean => cursor.isEmpty;

function lowestKey(cursors: readonly FamilyCursor[]): string | undefined {
  let lowest: string | undefined;
  for (const { key } of cursors) if (key !== undefined && (lowest === undefined || key < lowest)) lowest = key;
  return lowest;
}
