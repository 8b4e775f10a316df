import { CrawlError } from '../../../packages/errors/index.js';
import {
  MemoryStore,
  type CheckedChange,
  type Column,
  type ColumnSelector,
  type RowChange,
  type ScanOptions,
  type Store,
  type StoredRow,
} from '../../../webtable/index.js';
import { TABLES, type TableName } from '../../../webtable/schema.js';

/** A limit, so that writers which retry forever fail. */
const MOST_CALLS = 100_000;
/** Default for the maximum number of rows that a scan reads at one moment. */
const LONGEST_PAGE = 3;

/** How a store treats the process that uses it. */
export interface Treatment {
  /** Waits before each step of a call, during which others may run. Default: mostly short waits, sometimes long ones. */
  readonly turn?: () => Promise<void>;
  /** The share of compare-and-set calls that are refused without a cause. */
  readonly refused?: number;
  /**
   * The share of compare-and-set calls that are made, but whose answer is lost. The store then retries; if another process has changed the
   * row since, it reports that the change was not made.
   */
  readonly lostAnswers?: number;
  /** Maximum number of rows that a scan reads at one moment. */
  readonly longestPage?: number;
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a && b ? Buffer.compare(a, b) === 0 : a === b;

/** Rows in memory with versions that never repeat. */
export class VersionedRows {
  readonly #memory = new MemoryStore();
  /** For each row that was ever changed. A removed row still has a version. */
  readonly #versions = new Map<string, number>();
  #next = 1;

  /** The present state of a row. */
  async read(table: TableName, key: string, columns: readonly ColumnSelector[]): Promise<StoredRow | undefined> {
    const version = this.#versions.get(`${table} ${key}`)?.toString();
    const [row] = await this.#memory.get(table, [key], columns);
    return row && { ...row, ...(version !== undefined && { version }) };
  }

  /** The first rows of a range, all of the same moment. */
  async page(table: TableName, options: ScanOptions): Promise<StoredRow[]> {
    const rows = this.#memory.scan(table, options)[Symbol.asyncIterator]();
    // The store reads its rows at one moment, when the first one is requested.
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

  /** Changes a row if a cell has a value. */
  async changeIf(table: TableName, change: RowChange, column: Column, value?: Uint8Array): Promise<boolean> {
    for (;;) {
      const before = this.#versions.get(`${table} ${change.key}`);
      const found = (await this.read(table, change.key, [column]))?.cells.get(column);
      if (this.#versions.get(`${table} ${change.key}`) !== before) continue;
      if (!isSame(found, value)) return false;
      await this.change(table, change);
      return true;
    }
  }

  /** Changes a row if it is as it was read. @returns its version; undefined if it was not changed */
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
 * A store in memory that others change at the same time without its locks, as a distributed one is: rows have versions, and others may run
 * between any two steps of a call. A scan reads its rows page by page.
 */
export class VersionedStore implements Store {
  readonly #random: () => number;
  readonly #rows: VersionedRows;
  readonly #treatment: Treatment;
  #calls = 0;
  /** The last requested write: writes of one process are made in the order of the calls. */
  #written: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** Number of changes that were not made, or whose result the store does not know. */
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
    // All of one moment. Wrong selectors are refused even without keys.
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
    // All changes are checked before the first is made.
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

  async compareAndSet(table: TableName, changes: readonly CheckedChange[]): Promise<boolean[]> {
    const { refused = 0, lostAnswers = 0 } = this.#treatment;
    this.#assertOpen();
    const made: boolean[] = [];
    for (const { change, column, value } of changes) {
      await this.#turn();
      const isRefused = refused > 0 && this.#random() < refused;
      let isMade = !isRefused && (await this.#rows.changeIf(table, change, column, value));
      if (isMade && lostAnswers > 0 && this.#random() < lostAnswers) {
        await this.#turn();
        const now = (await this.#rows.read(table, change.key, [column]))?.cells.get(column);
        isMade = isSame(now, change.put?.get(column));
      }
      made.push(isMade);
      if (!isMade) this.refused += 1;
    }
    await this.#turn();
    return made;
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
        // A removed row has no information.
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
    // Sometimes a process is delayed while others do much.
    const isHeldUp = this.#random() < 0.04;
    const most = isHeldUp ? 200 : 4;
    for (let n = Math.floor(this.#random() * most); n > 0; n--) await Promise.resolve();
  }
}
