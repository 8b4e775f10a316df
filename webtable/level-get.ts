import { iteratorOptions, type LevelSnapshot } from './level-database.js';
import { wideKey, wideRange } from './level-layout.js';
import { newDraft, sortCells, type FamilyPlan, type ReadPlan, type RowDraft } from './level-rows.js';

/** Rows whose wide families are read at the same time. */
const PARALLEL_RANGES = 16;

/** The rows of these keys in the order given, bodies left out; a row that is not there has no cell. */
export async function readRows(
  snapshot: LevelSnapshot,
  { families }: ReadPlan,
  keys: readonly string[],
): Promise<RowDraft[]> {
  const rows = keys.map(newDraft);
  const lookups: { key: string; add: (value: Uint8Array) => void }[] = [];
  for (const family of families) {
    const { layout, selector, addPacked } = family;
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
  const values = await snapshot.hot.getMany(
    lookups.map(({ key }) => key),
    { snapshot: snapshot.hotSnapshot },
  );
  for (const [i, { add }] of lookups.entries()) {
    const value = values[i];
    if (value) add(value);
  }

  const ranged = families.filter(({ layout, selector }) => layout.shape === 'wide' && selector.prefixes.length > 0);
  for (let i = 0; ranged.length > 0 && i < rows.length; i += PARALLEL_RANGES) {
    const group = rows.slice(i, i + PARALLEL_RANGES);
    await Promise.all(group.flatMap((row) => ranged.map((family) => addRanges(snapshot, family, row))));
  }
  for (const row of rows) sortCells(row);
  return rows;
}

async function addRanges(
  { hot, hotSnapshot }: LevelSnapshot,
  { layout, selector }: FamilyPlan,
  row: RowDraft,
): Promise<void> {
  for (const prefix of selector.prefixes) {
    const cells = await hot.iterator(iteratorOptions(wideRange(layout, row.key, prefix), hotSnapshot)).all();
    for (const [key, value] of cells) {
      row.cells.set(`${layout.name}:${key.slice(layout.prefix.length + row.key.length + 1)}`, value);
    }
  }
}
