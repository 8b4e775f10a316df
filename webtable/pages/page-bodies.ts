import { isSameLocation, type ContentLocation, type ContentStore } from '../content/content-store.js';
import { urlOf } from '../keys/row-key.js';
import type { PageRow } from './page.js';

/** A row with the location of its body. */
export type LocatedRow = PageRow<'contentLocation' | 'content'>;

/** Maximum number of reads of a body, if a compaction moves the body meanwhile. */
const TRIES = 5;
const LOST = 'content: ';

/**
 * Adds the bodies to rows with a location. A row whose body is missing or damaged gets an entry in `damaged`.
 * @param locate returns the present locations of these bodies, because a compaction may have moved a body since the row was read
 */
export async function addBodies(
  content: ContentStore,
  rows: readonly LocatedRow[],
  locate: (keys: readonly string[]) => Promise<readonly (ContentLocation | undefined)[]>,
): Promise<LocatedRow[]> {
  const whole = [...rows];
  let missing = await read(content, whole, [...rows.keys()]);
  for (let n = 1; n < TRIES && missing.length > 0; n++) {
    const places = await locate(missing.map((i) => whole[i]!.key));
    const moved = missing.filter((i, k) => places[k] && !isSameLocation(places[k], whole[i]!.contentLocation));
    for (const [k, i] of missing.entries()) {
      const contentLocation = places[k];
      if (contentLocation) whole[i] = { ...whole[i]!, contentLocation };
    }
    if (moved.length === 0) break;
    const still = new Set(await read(content, whole, moved));
    missing = missing.filter((i) => still.has(i) || !moved.includes(i));
  }
  for (const i of missing) {
    const row = whole[i]!;
    whole[i] = { ...row, damaged: [...(row.damaged ?? []), `${LOST}the body is missing or not as it was stored`] };
  }
  return whole;
}

/** Reads the bodies of some of the rows; returns the indexes of the rows whose body was not found. */
async function read(content: ContentStore, rows: LocatedRow[], indexes: readonly number[]): Promise<number[]> {
  const holders = indexes.filter((i) => rows[i]!.contentLocation);
  if (holders.length === 0) return [];
  const bodies = await content.read(holders.map((i) => rows[i]!.contentLocation!));
  return holders.filter((i, k) => {
    const found = bodies[k];
    const row = rows[i]!;
    // If the location now holds another page, the body counts as missing.
    if (!found || found.url !== urlOf(row.key)) return true;
    rows[i] = { ...row, content: found.body };
    return false;
  });
}

/**
 * Whether the body of a row that was read with `content` is lost. The body was stored, but is now missing or replaced, for example after a
 * power failure. The rest of the row can be read.
 */
export function isBodyLost({ damaged = [] }: Pick<PageRow<'content'>, 'damaged'>): boolean {
  return damaged.length > 0 && damaged.every((part) => part.startsWith(LOST));
}

/** Maximum bytes of stored records that are read together. */
const GROUP_BYTES = 256 * 1024;
/** Maximum number of rows that are read together. */
const GROUP_ROWS = 100;

/** Groups rows so that the bodies of a group need little memory. A single large body is a group of its own. */
export async function* bodyGroups<R extends LocatedRow>(rows: AsyncIterable<R>): AsyncGenerator<R[]> {
  let group: R[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const length = row.contentLocation?.length ?? 0;
    if (group.length > 0 && (bytes + length > GROUP_BYTES || group.length >= GROUP_ROWS)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += length;
  }
  if (group.length > 0) yield group;
}
