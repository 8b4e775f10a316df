import { CrawlError, safeText } from '../../../../packages/errors/index.js';
import type { LevelDatabase } from '../database.js';
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
} from '../layout.js';
import { foldChanges, type RowEdit } from './edits.js';
import { decodePacked, mergePacked } from '../packed-cells.js';
import type { TableName } from '../../../schema.js';
import type { RowChange } from '../../../store.js';

/** Puts and deletions for one database, in order; undefined deletes. */
type Operations = [key: string, value: Uint8Array | undefined][];

interface Writing {
  readonly layout: TableLayout;
  /** Keys of the cells that rows to be cleared have in wide families, by prefix and row key. */
  readonly oldCells: ReadonlyMap<string, readonly string[]>;
  readonly newBodies: Operations;
  readonly cells: Operations;
  readonly oldBodies: Operations;
}

/** What the packed families of a row hold now, by their place among the families; only what must be known. */
type Present = readonly (Uint8Array | undefined)[];

/**
 * Makes the changes; no other write may run on these databases meanwhile.
 * @throws CrawlError TABLE_DAMAGED, before anything is written, where cells must be merged into a value that cannot be
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
  const writing: Writing = { layout, oldCells, newBodies: [], cells: [], oldBodies: [] };
  for (const [i, edit] of edits.entries()) {
    const pointer = planBody(writing, edit, present[i]);
    for (const [at, family] of layout.families.entries()) {
      if (family.shape === 'wide') planWide(writing, family, edit);
      else if (family.shape === 'packed') {
        planPacked(writing, family, edit, present[i]?.[at], family === layout.pointer ? pointer : undefined);
      }
    }
  }
  await apply(content, writing.newBodies);
  await apply(hot, writing.cells);
  await apply(content, writing.oldBodies);
}

/** What is there of each edit, by its place; nothing where no edit has to know. */
async function readPresent(
  hot: LevelDatabase,
  { families, body, pointer }: TableLayout,
  edits: readonly RowEdit[],
): Promise<readonly (Present | undefined)[]> {
  const lookups: { key: string; found: (Uint8Array | undefined)[]; at: number }[] = [];
  const present = edits.map((edit) => {
    let found: (Uint8Array | undefined)[] | undefined;
    for (const [at, family] of families.entries()) {
      if (family.shape !== 'packed') continue;
      const holdsPointer = family === pointer && (edit.cleared || edit.families.has(body!.name));
      const merges = edit.families.has(family.name) && !edit.cleared;
      if (!holdsPointer && !merges) continue;
      lookups.push({ key: family.prefix + edit.key, found: (found ??= []), at });
    }
    return found;
  });
  if (lookups.length === 0) return present;
  lookups.sort((a, b) => (a.key < b.key ? -1 : 1));
  const values = await hot.getMany(lookups.map(({ key }) => key));
  for (const [i, { found, at }] of lookups.entries()) found[at] = values[i];
  return present;
}

async function listCleared(
  hot: LevelDatabase,
  { families }: TableLayout,
  edits: readonly RowEdit[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const wide = families.filter(({ shape }) => shape === 'wide');
  if (wide.length === 0) return found;
  for (const { key } of edits.filter((edit) => edit.cleared)) {
    for (const family of wide) found.set(family.prefix + key, await hot.keys(wideRange(family, key)).all());
  }
  return found;
}

/** Plans the writes to the slots. Returns what becomes of the pointer: bytes, null to remove it, undefined to keep it. */
function planBody(
  { layout: { families, body, pointer }, newBodies, oldBodies }: Writing,
  edit: RowEdit,
  present: Present | undefined,
): Uint8Array | null | undefined {
  const change = body && edit.families.get(body.name);
  if (!body || !pointer || (!change && !edit.cleared)) return undefined;
  const slot = currentSlot(pointer, edit, present?.[families.indexOf(pointer)]);
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
  { cells }: Writing,
  family: FamilyLayout,
  edit: RowEdit,
  present: Uint8Array | undefined,
  pointer: Uint8Array | null | undefined,
): void {
  let changes = edit.families.get(family.name);
  if (!changes && pointer === undefined && !edit.cleared) return;
  if (pointer !== undefined) changes = new Map(changes).set(POINTER, pointer ?? undefined);
  const stored = edit.cleared ? undefined : present;
  let value: Uint8Array | undefined;
  try {
    value = mergePacked(stored, changes ?? NO_CHANGES);
  } catch (error) {
    throw damaged(edit.key, family, error);
  }
  if (value || stored || edit.cleared) cells.push([family.prefix + edit.key, value]);
}

const NO_CHANGES: ReadonlyMap<string, Uint8Array | undefined> = new Map();

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
