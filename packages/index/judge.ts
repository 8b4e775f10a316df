import type { Count, CrawlContext, Tracker } from '../core/index.js';
import type { ChangeBuffer } from './change-buffer.js';
import {
  canonicalKeyOf,
  createDocuments,
  INDEX_FIELDS,
  isHeld,
  type Built,
  type IndexRow,
} from './documents/build-document.js';

/** Number of rows that are read at a time. The number is small, because the texts of rows may be long. */
export const ROWS = 25;

export type Judge = ReturnType<typeof createJudge>;

/**
 * Makes the judge of one run, which decides about pages. A note says of each canonical page whether the page is in the index in place of
 * the pages that name it. When a note changes, all pages that name the canonical page are judged again. The time for this grows with the
 * number of these pages.
 */
export function createJudge({ tables, plugins }: CrawlContext, tracker: Tracker, buffer: ChangeBuffer) {
  const { pages, canonicals, timeSlice } = tables;
  const build = createDocuments(plugins, tracker.fail);
  // Here a failure of a filter is not counted, because it is counted when the page itself is judged.
  const buildUncounted = createDocuments(plugins, () => undefined);

  async function buildAll(rows: readonly IndexRow[], isReplaced: (row: IndexRow) => boolean): Promise<Built[]> {
    const built: Built[] = [];
    for (const row of rows) {
      built.push(await build(row, isReplaced(row)));
      while (timeSlice.isOver) await timeSlice.next();
    }
    return built;
  }

  /**
   * Returns, for each canonical page, whether it is in the index in place of the pages that name it. If this differs from the note on the
   * canonical page, the pages that name it are judged again.
   */
  async function standingOf(
    keys: readonly string[],
    rows: readonly (IndexRow | undefined)[],
  ): Promise<ReadonlyMap<string, boolean>> {
    const noted = await buffer.noted(keys);
    const standing = new Map<string, boolean>();
    for (const [i, key] of keys.entries()) {
      const row = rows[i];
      const before = noted[i];
      // The batch of a held page will judge the page again. Until then the note is used.
      const stands = before !== undefined && (row?.damaged || isHeld(row)) ? before : await isStanding(row);
      standing.set(key, stands);
      while (timeSlice.isOver) await timeSlice.next();
      if (before === undefined) await buffer.note(key, stands);
      else if (before !== stands) await judgeAgain(key, stands);
    }
    return standing;
  }

  /** Whether a page is in the index in place of the pages that name it as canonical. */
  async function isStanding(row: IndexRow | undefined): Promise<boolean> {
    // A page that names another page as canonical never replaces pages. Otherwise, two pages that name each other would both be left out.
    return row !== undefined && canonicalKeyOf(row) === undefined && 'document' in (await buildUncounted(row, false));
  }

  async function judgeAgain(canonical: string, stands: boolean): Promise<void> {
    let isNamed = false;
    for await (const keys of canonicals.pagesOf(canonical)) {
      for (let at = 0; at < keys.length; at += ROWS) {
        // After a stop, the note stays unchanged, so that a later run finds all these pages again.
        if (tracker.aborted) return;
        const some = keys.slice(at, at + ROWS);
        const rows = await pages.getMany(some, INDEX_FIELDS);
        const naming = rows.filter((row) => row !== undefined && (row.damaged || canonicalKeyOf(row) === canonical));
        const known = new Set(naming.map((row) => row!.key));
        await canonicals.remove(some.filter((key) => !known.has(key)).map((page) => ({ page, canonical })));
        isNamed ||= known.size > 0;
        const present = naming.filter((row) => row !== undefined);
        const built = await buildAll(present, () => stands);
        for (const [i, { key }] of present.entries()) await addBuilt(buffer, key, built[i]!);
      }
    }
    await buffer.note(canonical, isNamed ? stands : undefined);
  }

  return {
    /**
     * Returns the index entry that each row should have. If the state of a canonical page has changed, other pages that name it are judged
     * again, and their changes are added to the buffer.
     * @param count gets the reason why a page is left out. Default: the counters of the tracker
     */
    async judge(rows: readonly IndexRow[], count: Count = tracker.count): Promise<Built[]> {
      const named = rows.map(canonicalKeyOf);
      await canonicals.enter(rows.flatMap(({ key }, i) => (named[i] ? [{ page: key, canonical: named[i] }] : [])));
      const keys = [...new Set(named.filter((key) => key !== undefined))];
      const standing = await standingOf(keys, await pages.getMany(keys, INDEX_FIELDS));
      const built = await buildAll(rows, (row) => standing.get(canonicalKeyOf(row) ?? '') ?? false);
      for (const each of built) if ('leftOut' in each) count(each.leftOut);
      return built;
    },
    /** If the state of one of the given pages has changed, judges all pages again that name this page as canonical. */
    async lookAtThoseThatName(keys: readonly string[], rows: readonly (IndexRow | undefined)[]): Promise<void> {
      const noted = await buffer.noted(keys);
      const named = keys.flatMap((key, i) => (noted[i] === undefined ? [] : [{ key, row: rows[i] }]));
      await standingOf(
        named.map(({ key }) => key),
        named.map(({ row }) => row),
      );
    },
  };
}

/** Adds the result for a row to the buffer, even if the index entry does not change. */
export async function addBuilt(buffer: ChangeBuffer, key: string, built: Built): Promise<void> {
  if ('document' in built) await buffer.add(key, { type: 'put', document: built.document }, true);
  else if (staysAway(built.leftOut)) await buffer.add(key, { type: 'remove', key }, false);
}

/** Whether a page that is left out is removed from the index. The entry of a held or damaged page stays unchanged. */
export function staysAway(leftOut: string): boolean {
  return leftOut !== 'held' && leftOut !== 'damaged';
}
