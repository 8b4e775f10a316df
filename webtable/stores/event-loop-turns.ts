import type { TableName } from '../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';

/**
 * Lets timers, signals and sockets have their turn in the middle of work that never waits for anything:
 * `while (turns.isDue) await turns.next()`. It is a loop since many wait for one turn, and the first may use it up.
 */
export interface EventLoopTurns {
  /** Whether the last turn of the event loop is long ago. */
  readonly isDue: boolean;
  /** Waits for a turn. */
  next(): Promise<void>;
}

/** Milliseconds of work between two turns: a short wait for others, and so many times what a turn costs. */
const SLICE = 10;

/** @param clock milliseconds from any origin, never set back */
export function createEventLoopTurns(clock: () => number = () => performance.now()): EventLoopTurns {
  let last = clock();
  let turn: Promise<void> | undefined;
  return {
    get isDue() {
      return clock() - last >= SLICE;
    },
    next: () =>
      (turn ??= new Promise((resolve) =>
        setImmediate(() => {
          turn = undefined;
          last = clock();
          resolve();
        }),
      )),
  };
}

/**
 * Passes everything on to another store, and gives the event loop its turns in between: a store in memory, or one that
 * answers from a cache, never does so by itself. All jobs go by their store, so none of them can hold up the process.
 */
export class YieldingStore implements Store {
  /** The store that does the work. */
  readonly inner: Store;
  readonly #turns: EventLoopTurns;

  readonly writeUnchanged?: NonNullable<Store['writeUnchanged']>;
  readonly splitKeys?: NonNullable<Store['splitKeys']>;

  constructor(inner: Store, turns: EventLoopTurns) {
    this.inner = inner;
    this.#turns = turns;
    if (inner.writeUnchanged) this.writeUnchanged = inner.writeUnchanged.bind(inner);
    if (inner.splitKeys) this.splitKeys = inner.splitKeys.bind(inner);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    const rows = await this.inner.get(table, keys, columns);
    while (this.#turns.isDue) await this.#turns.next();
    return rows;
  }

  scan(table: TableName, options: ScanOptions): AsyncIterable<StoredRow> {
    const turns = this.#turns;
    const rows = this.inner.scan(table, options);
    return {
      [Symbol.asyncIterator]() {
        const iterator = rows[Symbol.asyncIterator]();
        return {
          next: () => (turns.isDue ? turns.next().then(() => iterator.next()) : iterator.next()),
          async return() {
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    await this.inner.write(table, changes);
    while (this.#turns.isDue) await this.#turns.next();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
