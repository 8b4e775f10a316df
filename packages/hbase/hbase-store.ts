import { CrawlError } from '../errors/index.js';
import {
  checkChanges,
  checkTable,
  type CheckedChange,
  type ContentStore,
  type TableName,
  parseSelectors,
  type ColumnSelector,
  type RowChange,
  type ScanOptions,
  type Store,
  type StoredRow,
  type VersionedChange,
} from '../core/index.js';
import { checkSizes } from './changes.js';
import type { Gateways } from './gateway/gateways.js';
import { createReads, type Reading, type Reads } from './reads.js';
import type { ServerClock } from './server-clock.js';
import { toStoreError } from './store-failures.js';
import type { Ticks } from './ticks.js';
import { createWrites, type Writes } from './writes.js';

interface HBaseStoreOptions {
  readonly gateways: Gateways;
  readonly ticks: Ticks;
  readonly serverClock: ServerClock;
  readonly nameOf: (table: TableName) => string;
  /** The store of bodies. Absent: the table `content`. */
  readonly content?: ContentStore;
}

/**
 * A store on HBase tables, which any number of processes can use at the same time. Closing it also closes its gateways.
 *
 * When the answer to a change of {@link HBaseStore.writeUnchanged} is lost, the store looks for the change in the row. If another process
 * has changed the row after that, the change counts as not made, although it was made. So a caller that decides again must look in the row
 * for the changes that it has already made.
 *
 * Errors: CLOSED, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FULL; CLOCK_OFF from writes; and STORE_FAILED for all other failures.
 */
export class HBaseStore implements Store {
  readonly content?: ContentStore;
  readonly #gateways: Gateways;
  readonly #nameOf: (table: TableName) => string;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #serverClock: ServerClock;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ gateways, ticks, serverClock, nameOf, content }: HBaseStoreOptions) {
    this.#gateways = gateways;
    this.#nameOf = nameOf;
    this.#reads = createReads(gateways, ticks);
    this.#writes = createWrites(gateways, ticks);
    this.#serverClock = serverClock;
    if (content) this.content = content;
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    this.#assertOpen();
    checkTable(table);
    try {
      return await this.#reads.get(this.#reading(table, columns), keys);
    } catch (error) {
      throw this.#toStoreError(error, table);
    }
  }

  async *scan(table: TableName, { ranges, columns, limit = Infinity }: ScanOptions): AsyncGenerator<StoredRow> {
    this.#assertOpen();
    checkTable(table);
    // Checks the selectors even if there is no range to read.
    parseSelectors(table, columns);
    let left = limit;
    try {
      for (const range of ranges ?? [{ start: '' }]) {
        for await (const rows of this.#reads.pages(this.#reading(table, columns), range, left)) {
          for (const row of rows) {
            yield row;
            this.#assertOpen();
          }
          left -= rows.length;
        }
      }
    } catch (error) {
      throw this.#toStoreError(error, table);
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    this.#assertOpen();
    checkChanges(table, changes);
    checkSizes(changes);
    await this.#counted(table, () => this.#writes.write(table, this.#nameOf(table), changes));
  }

  async compareAndSet(table: TableName, changes: readonly CheckedChange[]): Promise<boolean[]> {
    this.#assertOpen();
    const plain = changes.map(({ change }) => change);
    checkChanges(table, plain);
    checkSizes(plain);
    return this.#counted(table, () => this.#writes.compareAndSet(table, this.#nameOf(table), changes));
  }

  async writeUnchanged(table: TableName, changes: readonly VersionedChange[]): Promise<boolean[]> {
    this.#assertOpen();
    const plain = changes.map(({ change }) => change);
    checkChanges(table, plain);
    checkSizes(plain);
    return this.#counted(table, () => this.#writes.writeUnchanged(table, this.#nameOf(table), changes));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#serverClock.settle();
    this.#gateways.close();
    await this.content?.close();
  }

  /** Writes if the clocks agree. Closing the store waits until the write has ended. */
  async #counted<T>(table: TableName, write: () => Promise<T>): Promise<T> {
    // If no check is needed, there must be no `await` here. Otherwise the calls would not get their ticks in order.
    const checked = this.#serverClock.check();
    const written = checked ? checked.then(write) : write();
    this.#underWay.add(written);
    try {
      return await written;
    } catch (error) {
      throw this.#toStoreError(error, table);
    } finally {
      this.#underWay.delete(written);
    }
  }

  #reading(table: TableName, columns: readonly ColumnSelector[]): Reading {
    return { table, name: this.#nameOf(table), columns };
  }

  #toStoreError(error: unknown, table: TableName): CrawlError {
    return toStoreError(error, `${this.#gateways.name}, table ${this.#nameOf(table)}`);
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'the store is closed');
  }
}
