import type { Field, PageChange, PageRow } from '../pages/page.js';
import type { Pages } from '../pages/pages.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';
import type { Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import type { Frontier, IndexedChange } from '../frontier/frontier.js';
import type { FrontierEntry } from '../frontier/frontier-entries.js';
import { FRONTIER_FIELDS, liftingRefusal, type FrontierField } from '../frontier/frontier-rows.js';

/** A row to decide on; undefined if the row does not exist. */
export type RowToChange<F extends Field> = PageRow<F | FrontierField> | undefined;

/**
 * Decides how to change rows. It returns one change for each row, in order; undefined leaves the row unchanged. It also writes data that
 * must exist before the rows, such as index entries. It is called again with the rows that another worker has changed meanwhile, after
 * these were read again. If it finds frontier entries that differ from the rows, it must pass them to `stale`, which corrects them.
 */
export type Decide<F extends Field> = (
  rows: readonly RowToChange<F>[],
  keys: readonly string[],
  stale: (entry: FrontierEntry) => void,
) => readonly (PageChange | undefined)[] | Promise<readonly (PageChange | undefined)[]>;

/** The methods that change rows. */
export interface ChangeRows {
  /**
   * Reads rows, calls `decide`, and writes the rows with their frontier entries. No other job changes the rows meanwhile. It is the only
   * way to change the fields on which the frontier depends: the due time, the score, the generate mark, and the fields by which generate
   * refuses rows. On a store with compare-and-set ({@link Store.writeUnchanged}) no lock is taken: rows that another worker has changed
   * meanwhile are read again, and passed to `decide` again.
   *
   * Each change is atomic, but a failed call may have made some of the changes.
   * @param now milliseconds since the epoch
   */
  changeRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
  ): Promise<void>;
  /**
   * Reads rows, and removes those that `decide` selects, with their links and bodies. Then it removes their frontier entries.
   * @param now milliseconds since the epoch
   */
  removeRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: (rows: readonly RowToChange<F>[], keys: readonly string[]) => readonly boolean[],
  ): Promise<void>;
}

export function createChangeRows(store: Store, pages: Pages, frontier: Frontier, exclusive: Exclusive): ChangeRows {
  const read = <F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<RowToChange<F>[]> =>
    pages.getMany(keys, [...new Set<F | FrontierField>([...fields, ...FRONTIER_FIELDS])]);

  /** @returns the keys of rows that another worker has changed since they were read; these rows are not changed */
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
    const changes: (IndexedChange & { readonly change: PageChange; readonly before: RowToChange<F> })[] = [];
    const others: IndexedChange[] = [];
    for (const [i, key] of keys.entries()) {
      const before = rows[i];
      const stale = staleOf.get(key) ?? [];
      // Another writer may have written the stale entry, but not the row yet. An empty change gives the row a new version, so that the
      // other writer's change of the row fails.
      const change =
        decided[i] ?? (store.writeUnchanged && before && (isAgain || stale.length > 0) ? { key } : undefined);
      if (change) changes.push({ before, change: liftingRefusal(before, change), stale, isAgain });
      else if (stale.length > 0 && !store.writeUnchanged) others.push({ before, stale });
    }
    let lost: ReadonlySet<string> = new Set();
    if (changes.length + others.length > 0) {
      await frontier.write([...changes, ...others], now, async () => {
        return (lost = await pages.writeUnchanged(
          changes.map(({ change }) => change),
          changes.map(({ before }) => before),
        ));
      });
    }
    return keys.filter((key, i) => lost.has(key) && (isAgain || decided[i]));
  }

  async function untilNoneIsLost(
    keys: readonly string[],
    run: (keys: readonly string[], isAgain: boolean) => Promise<readonly string[]>,
  ): Promise<void> {
    let left = keys;
    if (left.length === 0) return;
    await untilUnchanged(store, exclusive, async () => {
      left = await run(left, left !== keys);
      return left.length > 0 ? 'lost' : { done: undefined };
    });
  }

  return {
    changeRows: (keys, fields, now, decide) =>
      untilNoneIsLost(keys, (left, isAgain) => attempt(left, fields, now, decide, isAgain)),

    removeRows: (keys, fields, now, decide) =>
      untilNoneIsLost(keys, async (left) => {
        const rows = await read(left, fields);
        const isChosen = decide(rows, left);
        const chosen = rows.flatMap((row, i) => (row && isChosen[i] ? [row] : []));
        if (chosen.length === 0) return [];
        const changes = chosen.map(({ key, version }) => ({ change: { key, clear: true }, version }));
        let lost: ReadonlySet<string> = new Set();
        await frontier.remove(chosen, now, async () => (lost = await writeUnchanged(store, 'webpage', changes)));
        return [...lost];
      }),
  };
}
