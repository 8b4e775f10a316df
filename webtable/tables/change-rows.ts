import type { Field, PageChange, PageRow } from '../pages/page.js';
import type { Pages, RowAsRead } from '../pages/pages.js';
import type { Exclusive } from '../../packages/util/index.js';
import type { Frontier, IndexedChange } from '../frontier/frontier.js';
import type { FrontierEntry } from '../frontier/frontier-entries.js';
import { FRONTIER_FIELDS, liftingRefusal, type FrontierField } from '../frontier/frontier-rows.js';
import type { Batches } from '../batches/batches.js';

/** A row to decide on; undefined if the row does not exist. */
export type RowToChange<F extends Field> = PageRow<F | FrontierField> | undefined;

/**
 * Decides how to change rows. It returns one change for each row, in order; undefined leaves the row unchanged. It also writes data that
 * must exist before the rows, such as index entries. If it finds frontier entries that differ from the rows, it must pass them to `stale`,
 * which corrects them.
 */
export type Decide<F extends Field> = (
  rows: readonly RowToChange<F>[],
  keys: readonly string[],
  stale: (entry: FrontierEntry) => void,
) => readonly (PageChange | undefined)[] | Promise<readonly (PageChange | undefined)[]>;

/** The methods that change rows. */
export interface ChangeRows {
  /** Whether a former owner has written a row last. A late change of that owner could replace it, until this owner writes it again. */
  isOfFormerOwner(row: RowAsRead & { readonly key: string }): boolean;
  /**
   * Reads rows, calls `decide`, and writes the rows with their frontier entries. No other job of the process changes rows meanwhile, and
   * only the owner of a slot changes its rows. It is the only way to change the fields on which the frontier depends: the due time, the
   * score, the generate mark, and the fields by which generate refuses rows.
   *
   * Rows that a former owner has written last are written again, even if `decide` leaves them unchanged: a late change of that owner could
   * otherwise replace what this job has read. If an empty change is returned for a row that does not exist, no late change creates it.
   *
   * If an entry passed to `stale` is that of a row whose mark is void, the row is released, and can be found by its entry again.
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
  /** Writes fields on which the frontier does not depend, without a read of the rows where the store needs none. */
  writeFields(changes: readonly PageChange[]): Promise<void>;
  /** Like `changeRows`, for a caller that holds the lock `rows`. */
  changeLockedRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
  ): Promise<void>;
}

/** @param firstStamp returns the lowest timestamp of the present owner of a row */
export function createChangeRows(
  pages: Pages,
  frontier: Frontier,
  batches: Pick<Batches, 'voidMarks'>,
  exclusive: Exclusive,
  firstStamp: (rowKey: string) => number,
): ChangeRows {
  const read = <F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<RowToChange<F>[]> =>
    pages.getMany(keys, [...new Set<F | FrontierField>([...fields, ...FRONTIER_FIELDS])]);

  const isOfFormerOwner: ChangeRows['isOfFormerOwner'] = ({ key, at }) => at !== undefined && at < firstStamp(key);

  async function changeLockedRows<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
    now: number,
    decide: Decide<F>,
  ): Promise<void> {
    if (keys.length === 0) return;
    const rows = await read(keys, fields);
    const staleOf = new Map<string, FrontierEntry[]>();
    const decided = await decide(rows, keys, (entry) => {
      staleOf.set(entry.rowKey, [...(staleOf.get(entry.rowKey) ?? []), entry]);
    });
    const released = await batches.voidMarks(rows.filter((row) => row && staleOf.has(row.key)));
    const indexed: IndexedChange[] = [];
    const changes: PageChange[] = [];
    const before: (RowToChange<F> | undefined)[] = [];
    for (const [i, key] of keys.entries()) {
      const row = rows[i];
      const stale = staleOf.get(key) ?? [];
      const wanted = released.has(key) ? withoutBatch(key) : decided[i];
      const isFence = wanted !== undefined && !row && Object.keys(wanted).length === 1;
      const change = wanted && !isFence ? liftingRefusal(row, wanted) : undefined;
      if (change || stale.length > 0) indexed.push({ before: row, stale, ...(change && { change }) });
      const isFenced = row ? isOfFormerOwner(row) : isFence || stale.length > 0;
      if (!change && !isFenced) continue;
      changes.push(change ?? { key });
      before.push(row);
    }
    if (indexed.length === 0 && changes.length === 0) return;
    await frontier.write(indexed, now, () => pages.writeAsRead(changes, before));
  }

  return {
    isOfFormerOwner,

    async changeRows(keys, fields, now, decide) {
      if (keys.length > 0) await exclusive('rows', () => changeLockedRows(keys, fields, now, decide));
    },

    changeLockedRows,

    async removeRows(keys, fields, now, decide) {
      if (keys.length === 0) return;
      await exclusive('rows', async () => {
        const rows = await read(keys, fields);
        const isChosen = decide(rows, keys);
        const chosen = rows.flatMap((row, i) => (row && isChosen[i] ? [row] : []));
        if (chosen.length > 0) await frontier.remove(chosen, now, () => pages.remove(chosen.map(({ key }) => key)));
      });
    },

    writeFields: (changes) => exclusive('rows', () => pages.write(changes)),
  };
}

/** The change that releases a row from its batch. The row stays due. */
export function withoutBatch(key: string): PageChange {
  return { key, unset: ['cashInFlight'], marks: { generate: null } };
}
