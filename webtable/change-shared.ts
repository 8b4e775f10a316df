/**
 * Changes of rows that belong to no slot, so any process may change them: leases, headers of batches, rules, marks, watches, and so on. A
 * store that several processes use has compare-and-set for them, or makes the change in the process that has the table open. On other
 * stores a lock of the process is enough.
 */
import type { Exclusive } from '../packages/util/index.js';
import type { TableName } from './schema.js';
import type { CheckedChange, Column, ColumnSelector, RowChange, Store, StoredRow } from './store.js';

export interface SharedRows {
  readonly table: TableName;
  readonly keys: readonly string[];
  /** The cell that changes with every change of a row. It is compared. */
  readonly column: Column;
  /** The columns to read. Default: `column`. */
  readonly columns?: readonly ColumnSelector[];
}

/** A change that is made only while `column` has the value that was read. Absent: it is always made. */
export type RowToCheck = Pick<CheckedChange, 'change'> & Partial<Pick<CheckedChange, 'column' | 'value'>>;

type DecidedChange = Omit<RowChange, 'key'> | undefined;

/** Takes no lock. Use it for rows that no other task of the process changes at the same time. */
export const withoutLock: Exclusive = (_, task) => task();

/**
 * Calls `decide` with the present value of each row, and writes the changes. If another process has changed a row meanwhile, the row is read
 * again, and `decide` is called again. It may then find a change of its own, since a response may be lost.
 * @param decide returns the change; undefined leaves the row unchanged. Its last call for a row is the one that counts
 * @param lock the name of the lock on a store without compare-and-set
 */
export async function changeShared(
  store: Store,
  exclusive: Exclusive,
  { table, keys, column, columns = [column] }: SharedRows,
  decide: (key: string, row: StoredRow | undefined) => DecidedChange | Promise<DecidedChange>,
  lock = 'rows',
): Promise<void> {
  const hasChecks = (store.compareAndSet ?? store.changeInOwner) !== undefined;

  /** @returns the keys of the rows whose change was not made */
  async function attempt(some: readonly string[]): Promise<readonly string[]> {
    const rows = await store.get(table, some, columns);
    const changes: CheckedChange[] = [];
    for (const [i, key] of some.entries()) {
      const change = await decide(key, rows[i]);
      if (change)
        changes.push({ change: { key, ...change }, column, value: rows[i]?.cells.get(column), at: rows[i]?.at });
    }
    if (changes.length === 0) return [];
    if (!hasChecks) {
      await store.write(
        table,
        changes.map(({ change }) => change),
      );
      return [];
    }
    const isMade = await (store.compareAndSet ?? store.changeInOwner)!.call(store, table, changes);
    return changes.flatMap(({ change }, i) => (isMade[i] ? [] : [change.key]));
  }

  for (let left = keys; left.length > 0;) {
    const some = left;
    left = await (hasChecks ? attempt(some) : exclusive(lock, () => attempt(some)));
  }
}

/** Makes changes as {@link Store.compareAndSet} does. No other task may change these rows meanwhile. */
export async function changeChecked(
  store: Pick<Store, 'get' | 'write'>,
  table: TableName,
  changes: readonly RowToCheck[],
): Promise<boolean[]> {
  const columns = changes.flatMap(({ column }) => column ?? []);
  const keys = changes.map(({ change }) => change.key);
  const rows = columns.length > 0 ? await store.get(table, keys, [...new Set(columns)]) : [];
  const isMade = changes.map(({ column, value }, i) => {
    const found = column && rows[i]?.cells.get(column);
    return column === undefined || (found && value ? Buffer.compare(found, value) === 0 : found === value);
  });
  const made = changes.flatMap(({ change }, i) => (isMade[i] ? [change] : []));
  if (made.length > 0) await store.write(table, made);
  return isMade;
}
