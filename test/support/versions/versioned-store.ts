import { CrawlError } from '../../../packages/errors/index.js';
import {
  MemoryStore,
  type ColumnSelector,
  type RowChange,
  type ScanOptions,
  type Store,
  type StoredRow,
} from '../../../webtable/index.js';
import { TABLES, type TableName } from '../../../webtable/schema.js';

/** So that writers which try again for ever fail. */
const MOST_CALLS = 100_000;
/** Rows that a scan reads at one moment, at the most, unless it is said. */
const LONGEST_PAGE = 3;

/** How a store treats the process that uses it. */
export interface Treatment {
  /** Waits before each step of a call, in which others may have their turn. By default mostly a little, and now and then long. */
  readonly turn?: () => Promise<void>;
  /** The part of the compare-and-sets that are refused without a cause. */
  readonly refused?: number;
  /**
   * The part of the compare-and-sets that are made and whose answer is lost. The store asks again then; where somebody else has
   * changed the row by that time, it says that the change was not made.
   */
  readonly lostAnswers?: number;
  /** Rows that a scan reads at one moment, at the most. */
  readonly longestPage?: number;
}

/** Rows in memory with versions, which never come again. */
export class VersionedRows {
  readonly #memory = new MemoryStore();
  /** Of each row that was ever changed; a row that is not there has no version all the same. */
  readonly #versions = new Map<string, number>();
  #next = 1;

  /** What is there now of a row. */
  async read(table: TableName, key: string, columns: readonly ColumnSelector[]): Promise<StoredRow | undefined> {
    const version = this.#versions.get(`${table} ${key}`)?.toString();
    const [row] = await this.#memory.get(table, [key], columns);
    return row && { ...row, ...(version !== undefined && { version }) };
  }

  /** The first rows of a range, all of this moment. */
  async page(table: TableName, options: ScanOptions): Promise<StoredRow[]> {
    const rows = this.#memory.scan(table, options)[Symbol.asyncIterator]();
    // The store has its rows of one moment when the first one is asked for.
    const first = rows.next();
    const versions = new Map(this.#versions);
    const page: StoredRow[] = [];
    for (let step = await first; !step.done; step = await rows.next()) {
      const version = versions.get(`${table} ${step.value.key}`)?.toString();
      page.push({ ...step.value, ...(version !== undefined && { version }) });
    }
    return page;
  }

  /** Changes a row at once. @returns its version */
  async change(table: TableName, change: RowChange): Promise<string> {
    const version = this.#next++;
    const made = this.#memory.write(table, [change]);
    this.#versions.set(`${table} ${change.key}`, version);
    await made;
    return version.toString();
  }

  /** Changes a row if it is as it was read. @returns its version; undefined where it was not changed */
  async changeUnchanged(table: TableName, change: RowChange, version?: string): Promise<string | undefined> {
    for (;;) {
      const name = `${table} ${change.key}`;
      const before = this.#versions.get(name);
      const row = await this.read(table, change.key, Object.keys(TABLES[table]));
      if (this.#versions.get(name) !== before) continue;
      return row?.version === version ? this.change(table, change) : undefined;
    }
  }
}

/**
 * A store in memory that others change at the same time without its locks, as a distributed one is: rows have versions, and
 * between any two steps of a call others may have their turn. A scan reads its rows page by page.
 */
export class VersionedStore implements Store {
  readonly #random: () => number;
  readonly #rows: VersionedRows;
  readonly #treatment: Treatment;
  #calls = 0;
  /** The last write that was asked for: writes of one process are made in the order asked. */
  #written: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** Changes that were not made, or of which the store does not know that they were. */
  refused = 0;

  /** @param random from 0 to 1 */
  constructor(random: () => number, treatment: Treatment = {}, rows = new VersionedRows()) {
    this.#random = random;
    this.#treatment = treatment;
    this.#rows = rows;
  }

  /** The same rows for another process. */
  forProcess(treatment: Treatment = this.#treatment): VersionedStore {
    return new VersionedStore(this.#random, treatment, this.#rows);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    this.#assertOpen();
    await this.#turn();
    // All of one moment, and wrong selectors are refused also where no key is asked for.
    const rows = await Promise.all([...keys, ''].map((key) => this.#rows.read(table, key, columns)));
    await this.#turn();
    return rows.slice(0, -1);
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    const { ranges = [{ start: '' }], columns, limit = Infinity } = options;
    const { longestPage = LONGEST_PAGE } = this.#treatment;
    this.#assertOpen();
    let left = limit;
    await this.#rows.page(table, { columns, limit: 0 });
    for (const range of ranges) {
      for (let start: string | undefined = range.start; start !== undefined && left > 0;) {
        await this.#turn();
        const size = Math.min(left, 1 + Math.floor(this.#random() * longestPage));
        const page = await this.#rows.page(table, { columns, ranges: [{ ...range, start }], limit: size });
        for (const row of page) {
          yield row;
          this.#assertOpen();
        }
        left -= page.length;
        start = page.length < size ? undefined : `${page.at(-1)!.key}\0`;
      }
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    this.#assertOpen();
    // All of them are looked at before the first is made.
    const checked = new MemoryStore().write(table, changes);
    const made = this.#written.then(async () => {
      await checked;
      for (const change of changes) {
        await this.#turn();
        await this.#rows.change(table, change);
      }
    });
    this.#written = made.catch(() => undefined);
    await made;
  }

  async writeUnchanged(
    table: TableName,
    changes: readonly { readonly change: RowChange; readonly version: string | undefined }[],
  ): Promise<boolean[]> {
    const { refused = 0, lostAnswers = 0 } = this.#treatment;
    this.#assertOpen();
    const made: boolean[] = [];
    for (const { change, version } of changes) {
      await this.#turn();
      const isRefused = refused > 0 && this.#random() < refused;
      const own = isRefused ? undefined : await this.#rows.changeUnchanged(table, change, version);
      let isMade = own !== undefined;
      if (isMade && lostAnswers > 0 && this.#random() < lostAnswers) {
        await this.#turn();
        const row = await this.#rows.read(table, change.key, Object.keys(TABLES[table]));
        // A row that was removed tells nothing.
        isMade = row?.version === own;
      }
      if (!isMade) this.refused += 1;
      made.push(isMade);
    }
    await this.#turn();
    return made;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#written.then(() => undefined));
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }

  async #turn(): Promise<void> {
    if ((this.#calls += 1) > MOST_CALLS)
      throw new Error('expected writers that come to an end, found more calls than that');
    const { turn } = this.#treatment;
    if (turn) return turn();
    // Now and then one is held up while others do much.
    const isHeldUp = this.#random() < 0.04;
    const most = isHeldUp ? 200 : 4;
    for (let n = Math.floor(this.#random() * most); n > 0; n--) await Promise.resolve();
  }
}
