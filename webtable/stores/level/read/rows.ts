import { familiesOf, type FamilyLayout } from '../layout.js';
import { PackedReader } from '../packed-cells.js';
import type { TableName } from '../../../schema.js';
import { parseSelectors, selects, type FamilySelector } from '../../../selectors.js';
import type { ColumnSelector, StoredRow } from '../../../store.js';

/** A family, and which of its cells to read. */
export interface FamilyPlan {
  readonly layout: FamilyLayout;
  readonly selector: FamilySelector;
  /** Reads the selected cells from values of a packed family. */
  readonly reader: PackedReader;
}

/** A row that is being read. */
export interface RowDraft {
  readonly key: string;
  cells: Map<string, Uint8Array>;
  readonly damaged: string[];
}

/** Returns the families that a read of these columns needs, in order of their names. */
export function planRead(table: TableName, columns: readonly ColumnSelector[]): FamilyPlan[] {
  const selectors = parseSelectors(table, columns);
  return familiesOf(table).flatMap((layout) => {
    const selector = selectors.get(layout.name);
    return selector ? [{ layout, selector, reader: readerOf(layout, selector) }] : [];
  });
}

export function newDraft(key: string): RowDraft {
  return { key, cells: new Map(), damaged: [] };
}

/** The row for the caller; undefined if it has no cell and no damage. */
export function finishRow({ key, cells, damaged }: RowDraft): StoredRow | undefined {
  if (damaged.length > 0) return { key, cells, damaged: damaged.join('; ') };
  return cells.size > 0 ? { key, cells } : undefined;
}

/** Sorts the cells of a row by column. This is needed if the row was not read family by family. */
export function sortCells(row: RowDraft): void {
  row.cells = new Map([...row.cells].sort(byColumn));
}

const byColumn = ([a]: [string, Uint8Array], [b]: [string, Uint8Array]): number => (a < b ? -1 : 1);

function readerOf({ name }: FamilyLayout, selector: FamilySelector): PackedReader {
  const start = `${name}:`;
  return new PackedReader((qualifier) => (selects(selector, qualifier) ? start + qualifier : undefined));
}

/** Adds the selected cells of a packed family to the row. `stored` is the value of the family. */
export function addPacked({ layout, reader }: FamilyPlan, stored: Uint8Array, row: RowDraft): void {
  try {
    reader.read(stored, row.cells);
  } catch (error) {
    const start = `${layout.name}:`;
    for (const column of [...row.cells.keys()]) if (column.startsWith(start)) row.cells.delete(column);
    row.damaged.push(`${start} ${(error as Error).message}`);
  }
}
