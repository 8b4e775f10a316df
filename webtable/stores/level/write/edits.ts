import { isAscending, type FamilyLayout } from '../layout.js';
import type { RowChange } from '../../../store.js';

/** The edits of cells in one family of a row; undefined removes a cell. If a qualifier occurs twice, the last edit applies. */
export interface CellEdits {
  readonly qualifiers: string[];
  readonly values: (Uint8Array | undefined)[];
}

/** The combined result of all changes of one row in one call. */
export interface RowEdit {
  readonly key: string;
  /** Whether all cells that the row had are removed. */
  cleared: boolean;
  /** The edits by the index of the family in the table; undefined for a family without changes. */
  readonly families: (CellEdits | undefined)[];
}

/**
 * Combines the changes of each row. Rows are in the order of their first change.
 * @param families of the table; they include the columns of all changes
 */
export function foldChanges(families: readonly FamilyLayout[], changes: readonly RowChange[]): RowEdit[] {
  const edits = new Map<string, RowEdit>();
  for (const change of changes) {
    let edit = edits.get(change.key);
    if (!edit) {
      edit = { key: change.key, cleared: false, families: [] };
      for (let i = 0; i < families.length; i++) edit.families.push(undefined);
      edits.set(change.key, edit);
    }
    if (change.clear) {
      edit.cleared = true;
      edit.families.fill(undefined);
    }
    if (change.delete) for (const column of change.delete) addCell(families, edit, column, undefined);
    if (change.put) for (const [column, value] of change.put) addCell(families, edit, column, value);
  }
  return [...edits.values()];
}

function addCell(
  families: readonly FamilyLayout[],
  edit: RowEdit,
  column: string,
  value: Uint8Array | undefined,
): void {
  const colon = column.indexOf(':');
  const family = column.slice(0, colon);
  let place = 0;
  while (families[place]!.name !== family) place++;
  const cells = (edit.families[place] ??= { qualifiers: [], values: [] });
  cells.qualifiers.push(column.slice(colon + 1));
  cells.values.push(value);
}

/** Above this number of edits, a sort by a map is faster than an insertion sort. */
const MAX_INSERTION_SORT = 40;

/** Returns the same edits, sorted by qualifier, with one edit for each qualifier. */
export function inOrder(edits: CellEdits): CellEdits {
  const { qualifiers, values } = edits;
  if (isAscending(qualifiers)) return edits;
  if (qualifiers.length > MAX_INSERTION_SORT) return sortedByMap(edits);
  const sorted: CellEdits = { qualifiers: [], values: [] };
  for (let i = 0; i < qualifiers.length; i++) {
    const qualifier = qualifiers[i]!;
    let at = sorted.qualifiers.length;
    while (at > 0 && sorted.qualifiers[at - 1]! > qualifier) at--;
    if (at > 0 && sorted.qualifiers[at - 1] === qualifier) sorted.values[at - 1] = values[i];
    else insert(sorted, at, qualifier, values[i]);
  }
  return sorted;
}

function insert({ qualifiers, values }: CellEdits, at: number, qualifier: string, value: Uint8Array | undefined): void {
  qualifiers.push(qualifier);
  values.push(value);
  for (let i = qualifiers.length - 1; i > at; i--) {
    qualifiers[i] = qualifiers[i - 1]!;
    values[i] = values[i - 1];
  }
  qualifiers[at] = qualifier;
  values[at] = value;
}

function sortedByMap({ qualifiers, values }: CellEdits): CellEdits {
  const last = new Map<string, Uint8Array | undefined>();
  for (const [i, qualifier] of qualifiers.entries()) last.set(qualifier, values[i]);
  const sorted = [...last].sort(byQualifier);
  return { qualifiers: sorted.map(([qualifier]) => qualifier), values: sorted.map(([, value]) => value) };
}

const byQualifier = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
