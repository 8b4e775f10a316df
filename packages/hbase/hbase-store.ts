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
} from '../core/index.js';
import { checkSizes } from './changes.js';
import type { Gateways } from './gateway/gateways.js';
import { createReads, type Reading, type Reads } from './reads.js';
import { toStoreError } from './store-failures.js';
import { createWrites, type Writes } from './writes.js';

interface HBaseStoreOptions {
  readonly gateways: Gateways;
  readonly nameOf: (table: TableName) => string;
  /** The store of bodies. Absent: the table `content`. */
  readonly content?: ContentStore;
}

/**
 * A store on HBase tables, which any number of processes can use at the same time. Closing it also closes its gateways.
 *
 * Errors: CLOSED, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FULL; and STORE_FAILED for all other failures.
 */
export class HBaseStore implements Store {
  readonly content?: ContentStore;
  readonly rowsAtATime = 500;
  readonly #gateways: Gateways;
  readonly #nameOf: (table: TableName) => string;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ gateways, nameOf, content }: HBaseStoreOptions) {
    this.#gateways = gateways;
    this.#nameOf = nameOf;
    this.#reads = createReads(gateways);
    this.#writes = createWrites(gateways);
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

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.#gateways.close();
    await this.content?.close();
  }

  /** Closing the store waits until the write has ended. */
  async #counted<T>(table: TableName, write: () => Promise<T>): Promise<T> {
    const written = write();
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
