import { CrawlError } from '../../../packages/errors/index.js';
import { checkChanges, checkTable } from '../../check-changes.js';
import type { ContentStore } from '../../content/content-store.js';
import type { TableName } from '../../schema.js';
import { parseSelectors } from '../../selectors.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../../store.js';
import type { VersionedChange } from '../../write-unchanged.js';
import { getAllRegionLocations } from './admin-requests.js';
import { checkSizes } from './changes.js';
import type { Gateways } from './gateway/gateways.js';
import { createReads, type Reading, type Reads } from './reads.js';
import type { ServerClock } from './server-clock.js';
import { toStoreError } from './store-failures.js';
import type { Ticks } from './ticks.js';
import { createWrites, type Writes } from './writes.js';

/** What an {@link HBaseStore} is made of. */
export interface HBaseStoreOptions {
  readonly gateways: Gateways;
  readonly ticks: Ticks;
  readonly serverClock: ServerClock;
  /** The name that a table has in HBase. */
  readonly nameOf: (table: TableName) => string;
  /** Where bodies go; the table `content` when absent. */
  readonly content?: ContentStore;
}

/**
 * A store on tables of HBase, which any number of processes use at the same time. It closes what it is made of when it is closed.
 *
 * A change of {@link HBaseStore.writeUnchanged} whose answer was lost is looked for in the row; where somebody else has changed the
 * row since, it counts as not made, though it was. So whoever decides again must find in the row what is done already.
 *
 * Errors: CLOSED, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FULL, CLOCK_OFF of a write, and, for all else, STORE_FAILED.
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
    // Where there is no range to read, selectors are still to be right.
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

  async writeUnchanged(table: TableName, changes: readonly VersionedChange[]): Promise<boolean[]> {
    this.#assertOpen();
    const plain = changes.map(({ change }) => change);
    checkChanges(table, plain);
    checkSizes(plain);
    return this.#counted(table, () => this.#writes.writeUnchanged(table, this.#nameOf(table), changes));
  }

  /** The first keys of the regions, but that of the first. */
  async splitKeys(table: TableName): Promise<readonly string[]> {
    this.#assertOpen();
    checkTable(table);
    try {
      const starts = await this.#gateways.call(getAllRegionLocations(this.#nameOf(table)));
      // Keys of rows are of these characters; who splits a table by hand may take others.
      return starts.filter((key) => /^[\x01-\x7f]+$/.test(key)).sort();
    } catch (error) {
      throw this.#toStoreError(error, table);
    }
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

  /** Writes, where the clocks agree, and has closing wait for it. */
  async #counted<T>(table: TableName, write: () => Promise<T>): Promise<T> {
    // Not awaited where there is nothing to wait for: ticks are taken in the order in which writes are asked for.
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
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }
}
