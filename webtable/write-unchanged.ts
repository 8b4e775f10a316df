import type { TableName } from './schema.js';
import type { RowChange, Store } from './store.js';
import type { Exclusive } from '../packages/util/index.js';

/** A change of a row. `version` is the version of the row when it was read; undefined if the row did not exist. */
export interface VersionedChange {
  readonly change: RowChange;
  readonly version: string | undefined;
}

const changeOf = ({ change }: VersionedChange): RowChange => change;

/**
 * Changes each row that is unchanged since it was read. On a store without versions it changes all rows.
 * @returns the keys of the rows that it did not change
 */
export async function writeUnchanged(
  store: Store,
  table: TableName,
  changes: readonly VersionedChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  if (!store.writeUnchanged) {
    await store.write(table, changes.map(changeOf));
    return new Set();
  }
  const isMade = await store.writeUnchanged(table, changes);
  return new Set(changes.flatMap(({ change }, i) => (isMade[i] ? [] : [change.key])));
}

/**
 * Runs an attempt that reads rows and changes them. On a store without compare-and-set the attempt runs under a lock. Otherwise it is
 * repeated until no other writer was faster.
 * @param attempt reads rows, and writes them with {@link writeUnchanged}; returns `lost` if another writer was faster
 */
export async function untilUnchanged<T>(
  store: Store,
  exclusive: Exclusive,
  attempt: () => Promise<{ readonly done: T } | 'lost'>,
  lock = 'rows',
): Promise<T> {
  for (;;) {
    const outcome = await (store.writeUnchanged ? attempt() : exclusive(lock, attempt));
    if (outcome !== 'lost') return outcome.done;
  }
}
