import { CrawlError, safeText } from '../packages/errors/index.js';
import type { LevelDatabase } from './level-database.js';
import {
  bodyKey,
  decodePointer,
  encodePointer,
  layoutOf,
  POINTER,
  wideKey,
  wideRange,
  type FamilyLayout,
  type TableLayout,
} from './level-layout.js';
import { foldChanges, type RowEdit } from './level-edits.js';
import { decodePacked, encodePacked } from './packed-cells.js';
import type { TableName } from './schema.js';
import type { RowChange } from './store.js';

/** Puts and deletions for one database, in order; undefined deletes. */
type Operations = [key: string, value: Uint8Array | undefined][];

interface Writing {
  readonly layout: TableLayout;
  /** Present values of packed families, by key. */
  readonly present: ReadonlyMap<string, Uint8Array>;
  /** Keys of the cells that rows to be cleared have in wide families, by prefix and row key. */
  readonly oldCells: ReadonlyMap<string, readonly string[]>;
  readonly newBodies: Operations;
  readonly cells: Operations;
  readonly oldBodies: Operations;
}

/**
 * Makes the changes; no other write may run on these databases meanwhile.
 * @throws CrawlError TABLE_DAMAGED, before anything is written, where cells must be merged into a value that can not be
 * read
 */
export async function writeRows(
  hot: LevelDatabase,
  content: LevelDatabase,
  table: TableName,
  changes: readonly RowChange[],
): Promise<void> {
  const layout = layoutOf(table);
  const edits = foldChanges(changes);
  const present = await readPresent(hot, layout, edits);
  const oldCells = await listCleared(hot, layout, edits);
  const writing: Writing = { layout, present, oldCells, newBodies: [], cells: [], oldBodies: [] };
  for (const edit of edits) {
    const pointer = planBody(writing, edit);
    for (const family of layout.families) {
      if (family.shape === 'packed') planPacked(writing, family, edit, family === layout.pointer ? pointer : undefined);
      else if (family.shape === 'wide') planWide(writing, family, edit);
    }
  }
  await apply(content, writing.newBodies);
  await apply(hot, writing.cells);
  await apply(content, writing.oldBodies);
}

async function readPresent(
  hot: LevelDatabase,
  { families, body, pointer }: TableLayout,
  edits: readonly RowEdit[],
): Promise<Map<string, Uint8Array>> {
  const keys: string[] = [];
  for (const edit of edits) {
    for (const family of families) {
      if (family.shape !== 'packed') continue;
      const holdsPointer = family === pointer && (edit.cleared || edit.families.has(body!.name));
      const merges = edit.families.has(family.name) && !edit.cleared;
      if (holdsPointer || merges) keys.push(family.prefix + edit.key);
    }
  }
  keys.sort();
  const values = await hot.getMany(keys);
  return new Map(keys.flatMap((key, i) => (values[i] ? [[key, values[i]]] : [])));
}

async function listCleared(
  hot: LevelDatabase,
  { families }: TableLayout,
  edits: readonly RowEdit[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { key } of edits.filter((edit) => edit.cleared)) {
    for (const family of families.filter(({ shape }) => shape === 'wide')) {
      found.set(family.prefix + key, await hot.keys(wideRange(family, key)).all());
    }
  }
  return found;
}

/** Plans the writes to the slots. Returns what becomes of the pointer: bytes, null to remove it, undefined to keep it. */
function planBody(
  { layout: { body, pointer }, present, newBodies, oldBodies }: Writing,
  edit: RowEdit,
): Uint8Array | null | undefined {
  const change = body && edit.families.get(body.name);
  if (!body || !pointer || (!change && !edit.cleared)) return undefined;
  const slot = currentSlot(pointer, edit, present.get(pointer.prefix + edit.key));
  const value = change && [...change.values()].at(-1);
  if (!value) {
    if (slot === undefined && !edit.cleared) return undefined;
    oldBodies.push([bodyKey(body, edit.key, 0), undefined], [bodyKey(body, edit.key, 1), undefined]);
    return null;
  }
  const next = slot === 0 ? 1 : 0;
  newBodies.push([bodyKey(body, edit.key, next), value]);
  if (slot !== undefined || edit.cleared) oldBodies.push([bodyKey(body, edit.key, next === 0 ? 1 : 0), undefined]);
  return encodePointer(next, value);
}

function currentSlot(pointer: FamilyLayout, edit: RowEdit, stored: Uint8Array | undefined): 0 | 1 | undefined {
  try {
    const bytes = stored && decodePacked(stored).get(POINTER);
    return bytes && decodePointer(bytes).slot;
  } catch (error) {
    // What is cleared need not be readable; nothing can be read through the pointer any more, whatever the slot.
    if (edit.cleared) return undefined;
    throw damaged(edit.key, pointer, error);
  }
}

function planPacked(
  { present, cells }: Writing,
  family: FamilyLayout,
  edit: RowEdit,
  pointer: Uint8Array | null | undefined,
): void {
  const changes = edit.families.get(family.name);
  if (!changes && pointer === undefined && !edit.cleared) return;
  const key = family.prefix + edit.key;
  const stored = edit.cleared ? undefined : present.get(key);
  let merged: Map<string, Uint8Array>;
  try {
    merged = stored ? decodePacked(stored) : new Map<string, Uint8Array>();
  } catch (error) {
    throw damaged(edit.key, family, error);
  }
  for (const [qualifier, value] of changes ?? []) {
    if (value) merged.set(qualifier, value);
    else merged.delete(qualifier);
  }
  if (pointer) merged.set(POINTER, pointer);
  else if (pointer === null) merged.delete(POINTER);
  if (merged.size > 0) cells.push([key, encodePacked(merged)]);
  else if (stored || edit.cleared) cells.push([key, undefined]);
}

function planWide({ cells, oldCells }: Writing, family: FamilyLayout, edit: RowEdit): void {
  for (const key of (edit.cleared && oldCells.get(family.prefix + edit.key)) || []) cells.push([key, undefined]);
  for (const [qualifier, value] of edit.families.get(family.name) ?? []) {
    cells.push([wideKey(family, edit.key, qualifier), value]);
  }
}

/** Makes the operations in order, all or none. */
async function apply(db: LevelDatabase, operations: Operations): Promise<void> {
  if (operations.length === 0) return;
  const batch = db.batch();
  for (const [key, value] of operations) {
    if (value) batch.put(key, value);
    else batch.del(key);
  }
  await batch.write();
}

function damaged(key: string, family: FamilyLayout, cause: unknown): CrawlError {
  const message = `expected readable cells in family ${family.name} of row "${safeText(key)}": ${(cause as Error).message}`;
  return new CrawlError('TABLE_DAMAGED', message, {
    hint: 'the row is left as it is; restore the table from a copy, or crawl into a new one',
    cause,
  });
}
