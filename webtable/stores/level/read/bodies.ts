import { BODY_QUALIFIER } from '../../../check-changes.js';
import { readMany, type LevelSnapshot } from '../database.js';
import { bodyKey, isBodyOf, type FamilyLayout } from '../layout.js';
import { sortCells, type ReadPlan, type RowDraft } from './rows.js';

/** Bytes of bodies held at a time, where a single one is not larger. */
const GROUP_BYTES = 1024 * 1024;

/** Reads the bodies of those rows that have one, all in one go. */
export async function addBodies(
  { content, contentSnapshot }: LevelSnapshot,
  family: FamilyLayout,
  rows: readonly RowDraft[],
): Promise<void> {
  const holders = rows.flatMap((row) => (row.pointer ? [{ row, pointer: row.pointer }] : []));
  if (holders.length === 0) return;
  const keys = holders.map(({ row, pointer }) => bodyKey(family, row.key, pointer.slot));
  const bodies = await readMany(content, keys, contentSnapshot);
  for (const [i, { row, pointer }] of holders.entries()) {
    const body = bodies[i];
    if (isBodyOf(pointer, body)) {
      row.cells.set(`${family.name}:${BODY_QUALIFIER}`, body);
      sortCells(row);
    } else {
      row.damaged.push(`${family.name}: the body is ${body ? 'another than was written' : 'missing'}`);
    }
  }
}

/** Splits the groups so that the bodies of one are not too large together, and reads them. */
export async function* withBodies(
  snapshot: LevelSnapshot,
  { body }: ReadPlan,
  groups: AsyncIterable<RowDraft[]>,
): AsyncGenerator<RowDraft[]> {
  for await (const group of groups) {
    if (!body) {
      yield group;
      continue;
    }
    let part: RowDraft[] = [];
    let bytes = 0;
    for (const row of group) {
      const length = row.pointer?.length ?? 0;
      if (part.length > 0 && bytes + length > GROUP_BYTES) {
        await addBodies(snapshot, body, part);
        yield part;
        part = [];
        bytes = 0;
      }
      part.push(row);
      bytes += length;
    }
    await addBodies(snapshot, body, part);
    yield part;
  }
}
