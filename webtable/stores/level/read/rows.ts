import { familiesOf, type FamilyLayout } from '../layout.js';
import { readerOf, type PackedReader } from '../../../packed-cells.js';
import type { TableName } from '../../../schema.js';
import { parseSelectors, type FamilySelector } from '../../../selectors.js';
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
    return selector ? [{ layout, selector, reader: readerOf(layout.name, selector) }] : [];
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

/** Adds the selected cells of a packed family to the row. `stored` is the value of the family. */
export function addPacked({ layout, reader }: FamilyPlan, stored: Uint8Array, row: RowDraft): void {
  const problem = reader.tryRead(stored, row.cells, layout.name);
  if (problem !== undefined) row.damaged.push(problem);
}
