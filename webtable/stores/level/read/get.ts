import { iteratorOptions, readMany, type LevelSnapshot } from '../database.js';
import type { RowCache } from '../row-cache.js';
import { byKey, keyOf, wideKey, wideRange } from '../layout.js';
import { addPacked, sortCells, type FamilyPlan, type RowDraft } from './rows.js';

/** Maximum number of rows whose wide families are read at the same time. */
const PARALLEL_RANGES = 16;

/** A value to read. */
interface Lookup {
  readonly key: string;
  readonly row: RowDraft;
  readonly family: FamilyPlan;
  /** Absent: the value is packed. */
  readonly column?: string;
}

/** Adds the cells of these families to each row. In a row that was empty before, the cells are in column order. */
export async function addFamilies(
  snapshot: LevelSnapshot,
  cache: RowCache,
  families: readonly FamilyPlan[],
  rows: readonly RowDraft[],
): Promise<void> {
  const lookups: Lookup[] = [];
  for (const family of families) {
    const { layout, selector } = family;
    for (const row of rows) {
      if (layout.shape !== 'wide') {
        lookups.push({ key: layout.prefix + row.key, row, family });
        continue;
      }
      for (const qualifier of selector.exact) {
        lookups.push({ key: wideKey(layout, row.key, qualifier), row, family, column: `${layout.name}:${qualifier}` });
      }
    }
  }
  lookups.sort(byKey);
  const keys = lookups.map(keyOf);
  // With several families, all cells of a row must be from one moment. The cache does not promise this, so it is not used.
  const values =
    families.length === 1
      ? await cache.read(keys, (missed) => readMany(snapshot, missed))
      : await readMany(snapshot, keys);
  for (const [i, { row, family, column }] of lookups.entries()) {
    const value = values[i];
    if (!value) continue;
    if (column === undefined) addPacked(family, value, row);
    else row.cells.set(column, value);
  }

  const ranged = families.filter(isRanged);
  if (ranged.length === 0) return;
  for (let i = 0; i < rows.length; i += PARALLEL_RANGES) {
    const group = rows.slice(i, i + PARALLEL_RANGES);
    await Promise.all(group.flatMap((row) => ranged.map((family) => addRanges(snapshot, family, row))));
  }
  for (const row of rows) sortCells(row);
}

/** Whether {@link addFamilies} must read ranges of this family. Otherwise it reads the cells of all rows with one call. */
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
