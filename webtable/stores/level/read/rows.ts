import { BODY_QUALIFIER } from '../../../check-changes.js';
import { decodePointer, layoutOf, POINTER, type BodyPointer, type FamilyLayout, type TableLayout } from '../layout.js';
import { packedReader } from '../packed-cells.js';
import type { TableName } from '../../../schema.js';
import { parseSelectors, selects, type FamilySelector } from '../../../selectors.js';
import type { ColumnSelector, StoredRow } from '../../../store.js';

/** What to read to answer some selectors. */
export interface ReadPlan {
  /** Packed and wide families, in order of their names. */
  readonly families: readonly FamilyPlan[];
  /** The body family, where the body is asked for; `families` then holds the one with the pointer. */
  readonly body: FamilyLayout | undefined;
}

export interface FamilyPlan {
  readonly layout: FamilyLayout;
  /** Asks for no cell in a family that is read for its pointer only. */
  readonly selector: FamilySelector;
  /** Adds the cells asked for to the row. `stored` is the value of a packed family. */
  readonly addPacked: (stored: Uint8Array, row: RowDraft) => void;
}

/** A row that is being read. */
export interface RowDraft {
  readonly key: string;
  cells: Map<string, Uint8Array>;
  pointer?: BodyPointer;
  readonly damaged: string[];
}

const NO_CELLS: FamilySelector = { exact: new Set(), prefixes: [] };

export function planRead(table: TableName, columns: readonly ColumnSelector[]): ReadPlan {
  const layout = layoutOf(table);
  const selectors = parseSelectors(table, columns);
  const bodySelector = layout.body && selectors.get(layout.body.name);
  const body = bodySelector && selects(bodySelector, BODY_QUALIFIER) ? layout.body : undefined;
  const families: FamilyPlan[] = [];
  for (const family of layout.families) {
    if (family.shape === 'body') continue;
    const isPointer = body !== undefined && family === layout.pointer;
    const selector = selectors.get(family.name) ?? (isPointer ? NO_CELLS : undefined);
    if (selector)
      families.push({ layout: family, selector, addPacked: packedAdder(family, selector, isPointer, layout) });
  }
  return { families, body };
}

export function newDraft(key: string): RowDraft {
  return { key, cells: new Map(), damaged: [] };
}

/** The row that a caller gets; undefined where there is nothing to tell. */
export function finishRow({ key, cells, damaged }: RowDraft): StoredRow | undefined {
  if (damaged.length > 0) return { key, cells, damaged: damaged.join('; ') };
  return cells.size > 0 ? { key, cells } : undefined;
}

/** Puts the cells of a row that was not read family by family in order of their columns. */
export function sortCells(row: RowDraft): void {
  row.cells = new Map([...row.cells].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function packedAdder(
  family: FamilyLayout,
  selector: FamilySelector,
  wantsPointer: boolean,
  { body }: TableLayout,
): FamilyPlan['addPacked'] {
  const start = `${family.name}:`;
  const read = packedReader((qualifier) => {
    if (qualifier === POINTER) return wantsPointer ? POINTER : undefined;
    return selects(selector, qualifier) ? start + qualifier : undefined;
  });
  return (stored, row) => {
    try {
      read(stored, (name, value) => {
        if (name === POINTER) row.pointer = decodePointer(value);
        else row.cells.set(name, value);
      });
    } catch (error) {
      for (const column of [...row.cells.keys()]) if (column.startsWith(start)) row.cells.delete(column);
      delete row.pointer;
      row.damaged.push(`${start} ${(error as Error).message}`);
      if (wantsPointer) row.damaged.push(`${body!.name}: the pointer to the body is lost`);
    }
  };
}
