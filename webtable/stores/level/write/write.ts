import { CrawlError, safeText } from '../../../../packages/errors/index.js';
import type { LevelDatabase } from '../database.js';
import { byKey, familiesOf, keyOf, wideKey, wideRange, type FamilyLayout } from '../layout.js';
import type { RowCache } from '../row-cache.js';
import { foldChanges, type RowEdit } from './edits.js';
import { mergePacked } from '../packed-cells.js';
import type { TableName } from '../../../schema.js';
import type { RowChange } from '../../../store.js';

/** Puts and deletions, in order; undefined deletes. */
type Operations = [key: string, value: Uint8Array | undefined][];

/** Keys of the cells that rows to be cleared have in wide families, by prefix and row key. */
type OldCells = ReadonlyMap<string, readonly string[]>;

/** What the packed families of a row hold now, by their place among the families; only what must be known. */
type Present = readonly (Uint8Array | undefined)[];

/**
 * Makes the changes; no other write may run on the database meanwhile.
 * @throws CrawlError TABLE_DAMAGED, before anything is written, where cells must be merged into a value that cannot be
 * read
 */
export async function writeRows(
  database: LevelDatabase,
  cache: RowCache,
  table: TableName,
  changes: readonly RowChange[],
): Promise<void> {
  const families = familiesOf(table);
  const edits = foldChanges(changes);
  const present = await readPresent(database, cache, families, edits);
  const oldCells = await listCleared(database, families, edits);
  const cells: Operations = [];
  for (const [i, edit] of edits.entries()) {
    for (const [at, family] of families.entries()) {
      if (family.shape === 'wide') planWide(cells, oldCells, family, edit);
      else planPacked(cells, family, edit, present[i]?.[at]);
    }
  }
  if (cells.length > 0) await cache.write(cells, () => apply(database, cells));
}

/** What is there of each edit, by its place; nothing where no edit has to know. */
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
      if (family.shape !== 'packed') continue;
      if (edit.cleared || !edit.families.has(family.name)) continue;
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

function planPacked(cells: Operations, family: FamilyLayout, edit: RowEdit, stored: Uint8Array | undefined): void {
  const changes = edit.families.get(family.name);
  if (!changes && !edit.cleared) return;
  let value: Uint8Array | undefined;
  try {
    value = mergePacked(stored, changes ?? NO_CHANGES);
  } catch (error) {
    throw damaged(edit.key, family, error);
  }
  if (value || stored || edit.cleared) cells.push([family.prefix + edit.key, value]);
}

const NO_CHANGES: ReadonlyMap<string, Uint8Array | undefined> = new Map();

function planWide(cells: Operations, oldCells: OldCells, family: FamilyLayout, edit: RowEdit): void {
  for (const key of (edit.cleared && oldCells.get(family.prefix + edit.key)) || []) cells.push([key, undefined]);
  for (const [qualifier, value] of edit.families.get(family.name) ?? []) {
    cells.push([wideKey(family, edit.key, qualifier), value]);
  }
}

/** Makes the operations in order, all or none. */
async function apply(db: LevelDatabase, operations: Operations): Promise<void> {
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
