import { MemoryStore, type ColumnSelector, type RowChange, type StoredRow } from '../../webtable/index.js';
import type { TableName } from '../../webtable/schema.js';
import { PassOnStore } from './stores/pass-on-store.js';

/**
 * A store in memory that others change at the same time without its locks, as a distributed one is: rows have versions, and
 * between any two calls others may have their turn.
 */
export class VersionedStore extends PassOnStore {
  readonly #random: () => number;
  readonly #versions = new Map<string, number>();
  #next = 1;
  /** Changes that were not made since the row was not as it was read. */
  refused = 0;

  /** @param random from 0 to 1, for how long each call takes */
  constructor(random: () => number) {
    super(new MemoryStore());
    this.#random = random;
  }

  override async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    await this.#turns();
    const read = super.get(table, keys, columns);
    const versions = keys.map((key) => this.#versionOf(table, key));
    const rows = (await read).map((row, i) => row && { ...row, ...(versions[i] && { version: versions[i] }) });
    await this.#turns();
    return rows;
  }

  override async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    for (const change of changes) {
      await this.#turns();
      await this.#change(table, change);
    }
  }

  async writeUnchanged(
    table: TableName,
    changes: readonly { readonly change: RowChange; readonly version: string | undefined }[],
  ): Promise<boolean[]> {
    const made: boolean[] = [];
    for (const { change, version } of changes) {
      await this.#turns();
      const isUnchanged = this.#versionOf(table, change.key) === version;
      if (isUnchanged) await this.#change(table, change);
      else this.refused += 1;
      made.push(isUnchanged);
    }
    return made;
  }

  /** Changes the row and its version in one. */
  #change(table: TableName, change: RowChange): Promise<void> {
    this.#versions.set(`${table} ${change.key}`, this.#next++);
    return super.write(table, [change]);
  }

  #versionOf(table: TableName, key: string): string | undefined {
    return this.#versions.get(`${table} ${key}`)?.toString();
  }

  async #turns(): Promise<void> {
    for (let n = Math.floor(this.#random() * 4); n > 0; n--) await Promise.resolve();
  }
}
