import { iteratorOptions, readMany, type LevelSnapshot } from '../database.js';
import type { RowCache } from '../row-cache.js';
import { wideKey, wideRange } from '../layout.js';
import { sortCells, type FamilyPlan, type RowDraft } from './rows.js';

/** Rows whose wide families are read at the same time. */
const PARALLEL_RANGES = 16;

/** Adds to each row what these families hold of it. The cells of a row that had none are then in column order. */
export async function addFamilies(
  snapshot: LevelSnapshot,
  cache: RowCache,
  families: readonly FamilyPlan[],
  rows: readonly RowDraft[],
): Promise<void> {
  const lookups: { key: string; add: (value: Uint8Array) => void }[] = [];
  for (const { layout, selector, addPacked } of families) {
    for (const row of rows) {
      if (layout.shape === 'packed') {
        lookups.push({ key: layout.prefix + row.key, add: (value) => addPacked(value, row) });
        continue;
      }
      for (const qualifier of selector.exact) {
        const column = `${layout.name}:${qualifier}`;
        lookups.push({ key: wideKey(layout, row.key, qualifier), add: (value) => row.cells.set(column, value) });
      }
    }
  }
  lookups.sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = lookups.map(({ key }) => key);
  // Of more than one family, all of a row has to be of one moment.
  const values =
    families.length === 1
      ? await cache.read(keys, (missed) => readMany(snapshot, missed))
      : await readMany(snapshot, keys);
  for (const [i, { add }] of lookups.entries()) {
    const value = values[i];
    if (value) add(value);
  }

  const ranged = families.filter(isRanged);
  if (ranged.length === 0) return;
  for (let i = 0; i < rows.length; i += PARALLEL_RANGES) {
    const group = rows.slice(i, i + PARALLEL_RANGES);
    await Promise.all(group.flatMap((row) => ranged.map((family) => addRanges(snapshot, family, row))));
  }
  for (const row of rows) sortCells(row);
}

/** Whether {@link addFamilies} has to read ranges of this family, and does not find all in the one call for its cells. */
export function isRanged({ layout, selector }: FamilyPlan): boolean {
  return layout.shape === 'wide' && selector.prefixes.length > 0;
}

async function addRanges(
  { database, snapshot }: LevelSnapshot,
  { layout, selector }: FamilyPlan,
  row: RowDraft,
): Promise<void> {
  for (const prefix of selector.prefixes) {
    const cells = await database.iterator(iteratorOptions(wideRange(layout, row.key, prefix), snapshot)).all();
    for (const [key, value] of cells) {
      row.cells.set(`${layout.name}:${key.slice(layout.prefix.length + row.key.length + 1)}`, value);
    }
  }
}
