import { splitColumn } from '../../../selectors.js';
import type { RowChange } from '../../../store.js';

/** What all changes of one row in one call come to. Each family holds the last word on each qualifier. */
export interface RowEdit {
  readonly key: string;
  /** Everything that was in the row goes. */
  cleared: boolean;
  readonly families: Map<string, Map<string, Uint8Array | undefined>>;
}

/** Brings the changes of each row together; a later change has the last word. */
export function foldChanges(changes: readonly RowChange[]): RowEdit[] {
  const edits = new Map<string, RowEdit>();
  for (const change of changes) {
    let edit = edits.get(change.key);
    if (!edit) edits.set(change.key, (edit = { key: change.key, cleared: false, families: new Map() }));
    if (change.clear) {
      edit.cleared = true;
      edit.families.clear();
    }
    for (const column of change.delete ?? []) setCell(edit, column, undefined);
    for (const [column, value] of change.put ?? []) setCell(edit, column, value);
  }
  return [...edits.values()];
}

function setCell(edit: RowEdit, column: string, value: Uint8Array | undefined): void {
  const [family, qualifier = ''] = splitColumn(column);
  let cells = edit.families.get(family);
  if (!cells) edit.families.set(family, (cells = new Map<string, Uint8Array | undefined>()));
  cells.set(qualifier, value);
}
