import type { TimeSlice } from '../../packages/util/index.js';
import type { TableName } from '../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';

/**
 * Passes all calls to another store, and yields to the event loop between the calls. A store that answers from memory never yields by
 * itself. All jobs use this store, so no job blocks the process. A read without keys and a write without changes do not reach the
 * other store.
 */
export class YieldingStore implements Store {
  /** The store that does the work. */
  readonly inner: Store;
  readonly #timeSlice: TimeSlice;

  readonly compareAndSet?: NonNullable<Store['compareAndSet']>;
  readonly changeInOwner?: NonNullable<Store['changeInOwner']>;

  constructor(inner: Store, timeSlice: TimeSlice) {
    this.inner = inner;
    this.#timeSlice = timeSlice;
    if (inner.compareAndSet) this.compareAndSet = inner.compareAndSet.bind(inner);
    if (inner.changeInOwner) this.changeInOwner = inner.changeInOwner.bind(inner);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    if (keys.length === 0) return [];
    const rows = await this.inner.get(table, keys, columns);
    while (this.#timeSlice.isOver) await this.#timeSlice.next();
    return rows;
  }

  scan(table: TableName, options: ScanOptions): AsyncIterable<StoredRow> {
    const timeSlice = this.#timeSlice;
    const rows = this.inner.scan(table, options);
    return {
      [Symbol.asyncIterator]() {
        const iterator = rows[Symbol.asyncIterator]();
        return {
          next: () => (timeSlice.isOver ? timeSlice.next().then(() => iterator.next()) : iterator.next()),
          async return() {
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.inner.write(table, changes);
    while (this.#timeSlice.isOver) await this.#timeSlice.next();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
