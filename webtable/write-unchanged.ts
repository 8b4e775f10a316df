import type { TableName } from './schema.js';
import type { RowChange, Store } from './store.js';
import type { Exclusive } from './stores/locks.js';

/** A change of a row that was read with this version; undefined where it was not there. */
export interface VersionedChange {
  readonly change: RowChange;
  readonly version: string | undefined;
}

const changeOf = ({ change }: VersionedChange): RowChange => change;

/**
 * Changes the rows that are still as they were read; where the store knows no versions, all of them.
 * @returns the keys of the others, which stay as they are
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
 * Runs an attempt to change rows by what was read of them while nobody else does so: under the lock `rows`, or, where the store
 * compares and writes in one, again and again until nobody else was faster.
 * @param attempt reads, and writes with {@link writeUnchanged}; `lost` where somebody else was faster
 */
export async function untilUnchanged<T>(
  store: Store,
  exclusive: Exclusive,
  attempt: () => Promise<{ readonly done: T } | 'lost'>,
): Promise<T> {
  for (;;) {
    const outcome = await (store.writeUnchanged ? attempt() : exclusive('rows', attempt));
    if (outcome !== 'lost') return outcome.done;
  }
}
