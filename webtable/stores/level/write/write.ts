import type { LevelDatabase } from '../database.js';
import { byKey, familiesOf, isHot, keyOf, wideKey, wideRange, type FamilyLayout } from '../layout.js';
import type { RowCache } from '../row-cache.js';
import { foldChanges, inOrder, type CellEdits, type RowEdit } from './edits.js';
import { damagedCells, mergePacked } from '../../../packed-cells.js';
import type { TableName } from '../../../schema.js';
import type { RowChange } from '../../../store.js';

/** Puts and deletes, in order; undefined deletes. */
interface Operations {
  readonly keys: string[];
  readonly values: (Uint8Array | undefined)[];
  /** The operations on the family `m` of the pages. */
  readonly hot: [key: string, value: Uint8Array | undefined][];
}

/** For each row that is cleared: the keys of its cells in wide families, by prefix and row key. */
type OldCells = ReadonlyMap<string, readonly string[]>;

/** The present values of a row's packed families, by the index of the family. Only the values that an edit needs are set. */
type Present = readonly (Uint8Array | undefined)[];

/**
 * Writes the changes. No other write may run on the database meanwhile.
 * @throws CrawlError TABLE_DAMAGED, before anything is written, if cells must be merged into a value that cannot be read
 */
export async function writeRows(
  database: LevelDatabase,
  cache: RowCache,
  table: TableName,
  changes: readonly RowChange[],
): Promise<void> {
  const families = familiesOf(table);
  const edits = foldChanges(families, changes);
  const present = await readPresent(database, cache, families, edits);
  const oldCells = await listCleared(database, families, edits);
  const operations: Operations = { keys: [], values: [], hot: [] };
  for (let i = 0; i < edits.length; i++) {
    for (let at = 0; at < families.length; at++) {
      if (families[at]!.shape === 'wide') planWide(operations, oldCells, families[at]!, at, edits[i]!);
      else planPacked(operations, families[at]!, at, edits[i]!, present[i]?.[at]);
    }
  }
  if (operations.keys.length > 0) await cache.write(operations.hot, () => apply(database, operations));
}

/** Reads the present values for each edit, by the index of the edit; undefined if an edit needs no value. */
async function readPresent(
  database: LevelDatabase,
  cache: RowCache,
  families: readonly FamilyLayout[],
  edits: readonly RowEdit[],
): Promise<readonly (Present | undefined)[]> {
  const lookups: { key: string; found: (Uint8Array | undefined)[]; at: number }[] = [];
  const present: (Present | undefined)[] = [];
  for (const edit of edits) {
    let found: (Uint8Array | undefined)[] | undefined;
    for (const [at, family] of families.entries()) {
      if (family.shape === 'wide') continue;
      if (edit.cleared || !edit.families[at]) continue;
      lookups.push({ key: family.prefix + edit.key, found: (found ??= []), at });
    }
    present.push(found);
  }
  if (lookups.length === 0) return present;
  lookups.sort(byKey);
  const values = await cache.read(lookups.map(keyOf), (missed) => database.getMany(missed));
  for (const [i, { found, at }] of lookups.entries()) found[at] = values[i];
  return present;
}

async function listCleared(
  database: LevelDatabase,
  families: readonly FamilyLayout[],
  edits: readonly RowEdit[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const wide = families.filter(({ shape }) => shape === 'wide');
  if (wide.length === 0) return found;
  for (const { key } of edits.filter((edit) => edit.cleared)) {
    for (const family of wide) found.set(family.prefix + key, await database.keys(wideRange(family, key)).all());
  }
  return found;
}

function planPacked(
  operations: Operations,
  family: FamilyLayout,
  at: number,
  edit: RowEdit,
  stored: Uint8Array | undefined,
): void {
  const edits = edit.families[at];
  if (!edits && !edit.cleared) return;
  let value: Uint8Array | undefined;
  try {
    value = mergePacked(stored, edits ? inOrder(edits) : NO_EDITS);
  } catch (error) {
    throw damagedCells(edit.key, family.name, error);
  }
  if (!value && !stored && !edit.cleared) return;
  const key = family.prefix + edit.key;
  operations.keys.push(key);
  operations.values.push(value);
  if (isHot(family.prefix)) operations.hot.push([key, value]);
}

const NO_EDITS: CellEdits = { qualifiers: [], values: [] };

function planWide(operations: Operations, oldCells: OldCells, family: FamilyLayout, at: number, edit: RowEdit): void {
  const { keys, values } = operations;
  for (const key of (edit.cleared && oldCells.get(family.prefix + edit.key)) || []) {
    keys.push(key);
    values.push(undefined);
  }
  const edits = edit.families[at];
  if (!edits) return;
  const start = wideKey(family, edit.key, '');
  for (let i = 0; i < edits.qualifiers.length; i++) {
    keys.push(start + edits.qualifiers[i]!);
    values.push(edits.values[i]);
  }
}

/** Makes all operations in order, as one atomic write. */
async function apply(db: LevelDatabase, { keys, values }: Operations): Promise<void> {
  const batch = db.batch();
  for (let i = 0; i < keys.length; i++) {
    const value = values[i];
    if (value) batch.put(keys[i]!, value);
    else batch.del(keys[i]!);
  }
  await batch.write();
}
