import { isSamePlace, type ContentLocation, type ContentStore } from '../content/content-store.js';
import { urlOf } from '../keys/row-key.js';
import type { PageRow } from './page.js';

/** A row with the place of its body. */
export type LocatedRow = PageRow<'contentAt' | 'content'>;

/** How often a body is looked for again that has moved meanwhile. */
const TRIES = 5;
const LOST = 'content: ';

/**
 * Adds the bodies to rows that say where they are. A row whose body is missing, or not as it was stored, is damaged.
 * @param locate where the bodies of these rows are now: a compaction may have moved one since the row was read
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
    const moved = missing.filter((i, k) => places[k] && !isSamePlace(places[k], whole[i]!.contentAt));
    for (const [k, i] of missing.entries()) {
      const contentAt = places[k];
      if (contentAt) whole[i] = { ...whole[i]!, contentAt };
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

/** Reads the bodies of some of the rows; returns which of them are not there. */
async function read(content: ContentStore, rows: LocatedRow[], indexes: readonly number[]): Promise<number[]> {
  const holders = indexes.filter((i) => rows[i]!.contentAt);
  if (holders.length === 0) return [];
  const bodies = await content.read(holders.map((i) => rows[i]!.contentAt!));
  return holders.filter((i, k) => {
    const found = bodies[k];
    const row = rows[i]!;
    // A place that is another page's now says as little as one where nothing is.
    if (!found || found.url !== urlOf(row.key)) return true;
    rows[i] = { ...row, content: found.body };
    return false;
  });
}

/**
 * Whether the body of a row that was read with `content` is lost: it was stored, and is missing or another now, as after
 * a power failure. The rest of the row can be read.
 */
export function isBodyLost({ damaged = [] }: Pick<PageRow<'content'>, 'damaged'>): boolean {
  return damaged.length > 0 && damaged.every((part) => part.startsWith(LOST));
}

/** Bytes of records, as they are stored, that are read together, and rows. */
const GROUP_BYTES = 256 * 1024;
const GROUP_ROWS = 100;

/** Rows in groups whose bodies are not too large together, where a single one is not. */
export async function* bodyGroups<R extends LocatedRow>(rows: AsyncIterable<R>): AsyncGenerator<R[]> {
  let group: R[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const length = row.contentAt?.length ?? 0;
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
