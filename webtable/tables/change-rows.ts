import type { Field, PageChange, PageRow } from '../pages/page.js';
import type { Pages } from '../pages/pages.js';
import { writeUnchanged } from '../write-unchanged.js';
import type { Store } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import type { Frontier, FrontierEntry, IndexedChange } from './frontier.js';
import { TALLY_FIELDS, type createRowTally } from './row-tally.js';
import { FRONTIER_FIELDS, liftingRefusal, type FrontierField } from './frontier-rows.js';

/** A row as it is decided on; undefined where there is none. */
export type RowToChange<F extends Field> = PageRow<F | FrontierField> | undefined;

/**
 * Decides on rows that were read: a change for each in turn, undefined for one that stays as it is. What has to be there
 * before the rows, like entries of an index, it writes itself, in a way that may be done twice: rows that somebody else has
 * changed in between are read again and decided on again. Entries of the frontier that it finds to differ from these rows it
 * gives to `stale`, to be put right.
 */
export type Decide<F extends Field> = (
  rows: readonly RowToChange<F>[],
  keys: readonly string[],
  stale: (entry: FrontierEntry) => void,
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
    decide: (rows: readonly RowToChange<F>[], keys: readonly string[]) => readonly boolean[],
  ): Promise<void>;
}

export function createChangeRows(
  store: Store,
  pages: Pages,
  frontier: Frontier,
  exclusive: Exclusive,
  tally: ReturnType<typeof createRowTally>,
): ChangeRows {
  const read = <F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<RowToChange<F>[]> =>
    pages.getMany(keys, [...new Set<F | FrontierField>([...fields, ...FRONTIER_FIELDS])]);

  /** @returns the keys of the rows that somebody else has changed since they were read; they stay as they are */
  async function attempt<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
    isAgain: boolean,
  ): Promise<readonly string[]> {
    const rows = await read(keys, fields);
    const staleOf = new Map<string, FrontierEntry[]>();
    const decided = await decide(rows, keys, (entry) => {
      staleOf.set(entry.rowKey, [...(staleOf.get(entry.rowKey) ?? []), entry]);
    });
    const changes: (IndexedChange & { readonly change: PageChange; readonly version: string | undefined })[] = [];
    const others: IndexedChange[] = [];
    for (const [i, key] of keys.entries()) {
      const before = rows[i];
      const stale = staleOf.get(key) ?? [];
      // Who has put such an entry for a change of the row, and not made the change yet, must not make it after the entry is gone.
      const change =
        decided[i] ?? (store.writeUnchanged && before && (isAgain || stale.length > 0) ? { key } : undefined);
      if (change)
        changes.push({ before, change: liftingRefusal(before, change), stale, isAgain, version: before?.version });
      else if (stale.length > 0 && !store.writeUnchanged) others.push({ before, stale });
    }
    let lost: ReadonlySet<string> = new Set();
    if (changes.length + others.length > 0) {
      await frontier.write([...changes, ...others], now, async () => {
        return (lost = await pages.writeUnchanged(
          changes.map(({ change }) => change),
          changes.map(({ version }) => version),
        ));
      });
    }
    for (const { before, change } of changes) if (!lost.has(change.key)) tally.changed(before, change);
    return keys.filter((key, i) => lost.has(key) && (isAgain || decided[i]));
  }

  async function untilNoneIsLost(
    keys: readonly string[],
    run: (keys: readonly string[], isAgain: boolean) => Promise<readonly string[]>,
  ): Promise<void> {
    for (let left = keys; left.length > 0;) {
      left = await (store.writeUnchanged ? run(left, left !== keys) : exclusive('rows', () => run(left, false)));
    }
  }

  return {
    changeRows: (keys, fields, now, decide) =>
      untilNoneIsLost(keys, (left, isAgain) => attempt(left, fields, now, decide, isAgain)),

    removeRows: (keys, fields, now, decide) =>
      untilNoneIsLost(keys, async (left) => {
        const rows = await read(left, [...fields, ...TALLY_FIELDS]);
        const isChosen = decide(rows, left);
        const chosen = rows.flatMap((row, i) => (row && isChosen[i] ? [row] : []));
        if (chosen.length === 0) return [];
        const changes = chosen.map(({ key, version }) => ({ change: { key, clear: true }, version }));
        let lost: ReadonlySet<string> = new Set();
        await frontier.remove(chosen, now, async () => (lost = await writeUnchanged(store, 'webpage', changes)));
        for (const row of chosen) if (!lost.has(row.key)) tally.removed(row.key, row);
        return [...lost];
      }),
  };
}
