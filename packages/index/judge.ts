import type { Count, CrawlContext, Tracker } from '../jobs/index.js';
import type { ChangeBuffer } from './change-buffer.js';
import {
  canonicalKeyOf,
  createDocuments,
  INDEX_FIELDS,
  isHeld,
  type Built,
  type IndexRow,
} from './documents/build-document.js';

/** Rows read at a time: a text may be as long as a page may. */
export const ROWS = 25;

/** Decides which pages are in the index. */
export interface Judge {
  /**
   * What the index is to have of each row. Where the page that it names as canonical stands in its place or does so no more,
   * others that name that page are judged again, into the buffer.
   * @param count counts why a page is left out. Default: the tracker's
   */
  judge(rows: readonly IndexRow[], count?: Count): Promise<Built[]>;
  /** Judges those again that name one of these pages as canonical, where that changes what they are to be. */
  lookAtThoseThatName(keys: readonly string[], rows: readonly (IndexRow | undefined)[]): Promise<void>;
}

/**
 * Makes the judge of one run. What the index has of a page goes by the page that it names as canonical, as that was noted last; so
 * pages that name one are found when it changes, in work that follows how many they are.
 */
export function createJudge({ tables, plugins }: CrawlContext, tracker: Tracker, buffer: ChangeBuffer): Judge {
  const { pages, canonicals, turns } = tables;
  const build = createDocuments(plugins, tracker.fail);
  // What fails on it is counted where it is judged itself.
  const buildUncounted = createDocuments(plugins, () => undefined);

  async function buildAll(rows: readonly IndexRow[], isReplaced: (row: IndexRow) => boolean): Promise<Built[]> {
    const built: Built[] = [];
    for (const row of rows) {
      built.push(build(row, isReplaced(row)));
      while (turns.isDue) await turns.next();
    }
    return built;
  }

  /** Whether each of these pages stands for those that name it. Where that is not as it was noted, these are judged again. */
  async function standingOf(
    keys: readonly string[],
    rows: readonly (IndexRow | undefined)[],
  ): Promise<ReadonlyMap<string, boolean>> {
    const noted = await buffer.noted(keys);
    const standing = new Map<string, boolean>();
    for (const [i, key] of keys.entries()) {
      const row = rows[i];
      const before = noted[i];
      // The batch that holds it will bring it.
      const stands = before !== undefined && (row?.damaged || isHeld(row)) ? before : isStanding(row);
      standing.set(key, stands);
      while (turns.isDue) await turns.next();
      if (before === undefined) await buffer.note(key, stands);
      else if (before !== stands) await judgeAgain(key, stands);
    }
    return standing;
  }

  /** Whether a page is in the index in place of those that name it as canonical. */
  function isStanding(row: IndexRow | undefined): boolean {
    // Two pages that name each other would both be left out.
    return row !== undefined && canonicalKeyOf(row) === undefined && 'document' in buildUncounted(row, false);
  }

  async function judgeAgain(canonical: string, stands: boolean): Promise<void> {
    let isNamed = false;
    for await (const keys of canonicals.pagesOf(canonical)) {
      for (let at = 0; at < keys.length; at += ROWS) {
        // What is noted stays, so that all are found again.
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
    async judge(rows, count = tracker.count) {
      const named = rows.map(canonicalKeyOf);
      await canonicals.enter(rows.flatMap(({ key }, i) => (named[i] ? [{ page: key, canonical: named[i] }] : [])));
      const keys = [...new Set(named.filter((key) => key !== undefined))];
      const standing = await standingOf(keys, await pages.getMany(keys, INDEX_FIELDS));
      const built = await buildAll(rows, (row) => standing.get(canonicalKeyOf(row) ?? '') ?? false);
      for (const each of built) if ('leftOut' in each) count(each.leftOut);
      return built;
    },
    async lookAtThoseThatName(keys, rows) {
      const noted = await buffer.noted(keys);
      const named = keys.flatMap((key, i) => (noted[i] === undefined ? [] : [{ key, row: rows[i] }]));
      await standingOf(
        named.map(({ key }) => key),
        named.map(({ row }) => row),
      );
    },
  };
}

/** Brings into the index what was built of a row, whatever is there. */
export async function addBuilt(buffer: ChangeBuffer, key: string, built: Built): Promise<void> {
  if ('document' in built) await buffer.add(key, { type: 'put', document: built.document }, true);
  else if (staysAway(built.leftOut)) await buffer.add(key, { type: 'remove', key }, false);
}

/** Of the others nobody knows what they are to be: the index keeps what it has. */
export function staysAway(leftOut: string): boolean {
  return leftOut !== 'held' && leftOut !== 'damaged';
}
