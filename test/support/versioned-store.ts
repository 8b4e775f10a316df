import {
  MemoryStore,
  type ColumnSelector,
  type RowChange,
  type ScanOptions,
  type StoredRow,
} from '../../webtable/index.js';
import { TABLES, type TableName } from '../../webtable/schema.js';
import { PassOnStore } from './stores/pass-on-store.js';

/** So that writers which try again for ever fail. */
const MOST_CALLS = 100_000;

/**
 * A store in memory that others change at the same time without its locks, as a distributed one is: rows have versions, and
 * between any two calls others may have their turn.
 */
export class VersionedStore extends PassOnStore {
  readonly #random: () => number;
  readonly #versions = new Map<string, number>();
  #next = 1;
  #calls = 0;
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

  /** Rows as of the moment of the first step, with their versions of then. */
  override async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    await this.#turns();
    const rows = super.scan(table, options)[Symbol.asyncIterator]();
    let next = rows.next();
    const versions = new Map(this.#versions);
    for (let step = await next; !step.done; step = await next) {
      const version = versions.get(`${table} ${step.value.key}`)?.toString();
      yield { ...step.value, ...(version && { version }) };
      next = rows.next();
    }
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

  /** Changes the row and its version in one. A row that is not there has none. */
  async #change(table: TableName, change: RowChange): Promise<void> {
    const name = `${table} ${change.key}`;
    const version = this.#next++;
    this.#versions.set(name, version);
    const written = super.write(table, [change]);
    const [row] = await super.get(table, [change.key], Object.keys(TABLES[table]));
    if (!row && this.#versions.get(name) === version) this.#versions.delete(name);
    await written;
  }

  #versionOf(table: TableName, key: string): string | undefined {
    return this.#versions.get(`${table} ${key}`)?.toString();
  }

  async #turns(): Promise<void> {
    if ((this.#calls += 1) > MOST_CALLS)
      throw new Error('expected writers that come to an end, found more calls than that');
    // Now and then one is held up while others do much.
    const isHeldUp = this.#random() < 0.04;
    const most = isHeldUp ? 200 : 4;
    for (let n = Math.floor(this.#random() * most); n > 0; n--) await Promise.resolve();
  }
}
