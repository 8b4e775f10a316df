import type { Field, PageChange, PageRow } from '../pages/page.js';
import type { Pages } from '../pages/pages.js';
import type { Store } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { FRONTIER_FIELDS, liftingRefusal, type Frontier, type FrontierField, type IndexedChange } from './frontier.js';

/** A row as it is decided on; undefined where there is none. */
export type RowToChange<F extends Field> = PageRow<F | FrontierField> | undefined;

/**
 * Decides on rows that were read: a change for each in turn, undefined for one that stays as it is. What has to be there
 * before the rows, like entries of an index, it writes itself, in a way that may be done twice: rows that somebody else has
 * changed in between are read again and decided on again.
 */
export type Decide<F extends Field> = (
  rows: readonly RowToChange<F>[],
  keys: readonly string[],
) => readonly (PageChange | undefined)[] | Promise<readonly (PageChange | undefined)[]>;

/** How rows are changed. */
export interface ChangeRows {
  /**
   * Reads rows, decides on them and writes them with their entries in the frontier, while nobody else changes them. It is the
   * one way to change what the frontier goes by: the due time, the score, the generate mark, and what generate judges by. Where
   * the store can compare and write in one ({@link Store.writeUnchanged}), no lock is taken: rows that somebody else has changed
   * in between are decided on again.
   *
   * A failure may leave any of the changes undone; each is atomic by itself.
   * @param now milliseconds since the epoch
   */
  changeRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
  ): Promise<void>;
  /**
   * Reads rows, and removes those that `decide` picks, with links and bodies; then the entries that lead to them.
   * @param now milliseconds since the epoch
   */
  removeRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: (rows: readonly RowToChange<F>[]) => readonly boolean[],
  ): Promise<void>;
}

export function createChangeRows(store: Store, pages: Pages, frontier: Frontier, exclusive: Exclusive): ChangeRows {
  const read = <F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<RowToChange<F>[]> =>
    pages.getMany(keys, [...new Set<F | FrontierField>([...fields, ...FRONTIER_FIELDS])]);

  /** @returns the keys of the rows that somebody else has changed since they were read; they stay as they are */
  async function attempt<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
  ): Promise<readonly string[]> {
    const rows = await read(keys, fields);
    const changes: IndexedChange[] = [];
    for (const [i, change] of (await decide(rows, keys)).entries()) {
      const before = rows[i];
      if (change) changes.push({ before, change: liftingRefusal(before, change) });
    }
    let lost: ReadonlySet<string> = new Set();
    if (changes.length > 0) {
      await frontier.write(changes, now, async () => {
        const versions = changes.map(({ before }) => before?.version);
        return (lost = await pages.writeUnchanged(
          changes.map(({ change }) => change),
          versions,
        ));
      });
    }
    return keys.filter((key) => lost.has(key));
  }

  return {
    async changeRows(keys, fields, now, decide) {
      for (let left = keys; left.length > 0;) {
        const run = (): Promise<readonly string[]> => attempt(left, fields, now, decide);
        left = await (store.writeUnchanged ? run() : exclusive('rows', run));
      }
    },

    removeRows(keys, fields, now, decide) {
      return exclusive('rows', async () => {
        const rows = await read(keys, fields);
        const isChosen = decide(rows);
        const chosen = rows.flatMap((row, i) => (row && isChosen[i] ? [row] : []));
        if (chosen.length === 0) return;
        const changes = chosen.map(({ key }) => ({ key, clear: true }));
        await frontier.remove(chosen, now, () => store.write('webpage', changes));
      });
    },
  };
}
