import { CrawlError } from '../../../packages/errors/index.js';
import {
  checkChanges,
  checkTable,
  mergePacked,
  parseSelectors,
  readerOf,
  splitColumn,
  type CheckedChange,
  type Column,
  type ColumnSelector,
  type KeyRange,
  type RowChange,
  type ScanOptions,
  type Store,
  type StoredRow,
} from '../../../webtable/index.js';
import { selects } from '../../../webtable/selectors.js';
import type { TableName } from '../../../webtable/schema.js';

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
   * The share of compare-and-set calls that are made, but whose response is lost. The store then retries; if another process has changed the
   * row since, it reports that the change was not made.
   */
  readonly lostAnswers?: number;
  /** Maximum number of rows that a scan reads at one moment. */
  readonly longestPage?: number;
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a && b ? Buffer.compare(a, b) === 0 : a === b;

/** A cell with its timestamp. An empty cell is a removed one. */
interface Cell {
  readonly value: Uint8Array;
  readonly at: number;
}

const EMPTY = new Uint8Array(0);
const NO_CELLS: ReadonlyMap<Column, Uint8Array> = new Map();
/** The cell that holds all cells of family `m` of a row. */
const RECORD = 'm:';

/**
 * Rows in memory with a timestamp for each cell, as HBase has them: of all puts of a cell the one with the highest timestamp counts. A
 * deletion removes only what is there: a put that arrives after it is visible, whatever its timestamp, as after a major compaction.
 */
export class TimedRows {
  readonly #tables = new Map<TableName, Map<string, Map<string, Cell>>>();
  /** The time of the server, in timestamps. */
  #now = 1e12;

  /** The present state of a row. */
  read(table: TableName, key: string, columns: readonly ColumnSelector[]): StoredRow | undefined {
    checkTable(table);
    const selectors = parseSelectors(table, columns);
    const cells = new Map<string, Uint8Array>();
    let at = 0;
    let record: Uint8Array | undefined;
    for (const [column, cell] of this.#rows(table).get(key) ?? []) {
      const [family, qualifier = ''] = splitColumn(column);
      const selector = selectors.get(family);
      if (!selector || (column !== RECORD && !selects(selector, qualifier))) continue;
      at = Math.max(at, cell.at);
      if (column !== RECORD) {
        if (cell.value.length > 0) cells.set(column, cell.value.subarray(1));
        continue;
      }
      record = cell.value;
      if (record.length > 0) readerOf(family, selector).read(record, cells);
    }
    if (cells.size === 0) return undefined;
    const sorted = new Map([...cells].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { key, cells: sorted, at, ...(record && { record }) };
  }

  /** The first rows of a range, all of the same moment. */
  page(table: TableName, { start, end }: KeyRange, columns: readonly ColumnSelector[], limit: number): StoredRow[] {
    const keys = [...this.#rows(table).keys()].filter((key) => key >= start && (end === undefined || key < end)).sort();
    const page: StoredRow[] = [];
    for (const key of keys) {
      if (page.length >= limit) break;
      const row = this.read(table, key, columns);
      if (row) page.push(row);
    }
    return page;
  }

  /** Changes a row at once. */
  change(table: TableName, change: RowChange): void {
    checkChanges(table, [change]);
    const rows = this.#rows(table);
    const row = rows.get(change.key) ?? new Map<string, Cell>();
    rows.set(change.key, row);
    const { at = (this.#now += 2), clear, put = NO_CELLS, delete: removed = [] } = change;
    if (clear) for (const [column, cell] of row) if (cell.at <= at) row.delete(column);
    const set = (column: string, value: Uint8Array): void => {
      if ((row.get(column)?.at ?? -1) <= at + 1) row.set(column, { value, at: at + 1 });
    };
    const edits = new Map<string, Uint8Array | undefined>();
    const edit = (column: Column, value: Uint8Array | undefined): void => {
      if (table === 'webpage' && column.startsWith('m:')) edits.set(column.slice(2), value);
      else set(column, value ? Buffer.concat([Buffer.of(1), value]) : EMPTY);
    };
    for (const column of removed) if (!put.has(column)) edit(column, undefined);
    for (const [column, value] of put) edit(column, value);
    const isWhole = table === 'webpage' && (clear || change.record !== undefined);
    if (edits.size === 0 && !isWhole) return;
    const before = clear ? undefined : change.record === undefined ? row.get(RECORD)?.value : change.record;
    const sorted = [...edits].sort(([a], [b]) => (a < b ? -1 : 1));
    const changes = { qualifiers: sorted.map(([name]) => name), values: sorted.map(([, value]) => value) };
    set(RECORD, mergePacked(before?.length ? before : undefined, changes) ?? EMPTY);
  }

  /** Changes a row if a cell has a value. */
  changeIf(table: TableName, { change, column, value, at }: CheckedChange): boolean {
    const found = this.read(table, change.key, [column])?.cells.get(column);
    if (!isSame(found, value)) return false;
    const newest = at ?? this.#rows(table).get(change.key)?.get(column)?.at;
    this.change(table, { ...change, ...(newest !== undefined && { at: newest }) });
    return true;
  }

  #rows(table: TableName): Map<string, Map<string, Cell>> {
    let rows = this.#tables.get(table);
    if (!rows) this.#tables.set(table, (rows = new Map<string, Map<string, Cell>>()));
    return rows;
  }
}

/**
 * A store in memory that others change at the same time without its locks, as a distributed one is: cells have timestamps, and others may run
 * between any two steps of a call. A scan reads its rows page by page.
 */
export class TimedStore implements Store {
  readonly #random: () => number;
  readonly #rows: TimedRows;
  readonly #treatment: Treatment;
  #calls = 0;
  /** The last requested write: writes of one process are made in the order of the calls. */
  #written: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** Number of changes that were not made, or whose result the store does not know. */
  refused = 0;

  /** @param random from 0 to 1 */
  constructor(random: () => number, treatment: Treatment = {}, rows = new TimedRows()) {
    this.#random = random;
    this.#treatment = treatment;
    this.#rows = rows;
  }

  /** The same rows for another process. */
  forProcess(treatment: Treatment = this.#treatment): TimedStore {
    return new TimedStore(this.#random, treatment, this.#rows);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    this.#assertOpen();
    await this.#turn();
    // All of one moment. Wrong selectors are refused even without keys.
    const rows = [...keys, ''].map((key) => this.#rows.read(table, key, columns));
    await this.#turn();
    return rows.slice(0, -1);
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    const { ranges = [{ start: '' }], columns, limit = Infinity } = options;
    const { longestPage = LONGEST_PAGE } = this.#treatment;
    this.#assertOpen();
    let left = limit;
    this.#rows.read(table, '', columns);
    for (const range of ranges) {
      for (let start: string | undefined = range.start; start !== undefined && left > 0;) {
        await this.#turn();
        const size = Math.min(left, 1 + Math.floor(this.#random() * longestPage));
        const page = this.#rows.page(table, { ...range, start }, columns, size);
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
    checkChanges(table, changes);
    const made = this.#written.then(async () => {
      for (const change of changes) {
        await this.#turn();
        this.#rows.change(table, change);
      }
    });
    this.#written = made.catch(() => undefined);
    await made;
  }

  async compareAndSet(table: TableName, changes: readonly CheckedChange[]): Promise<boolean[]> {
    const { refused = 0, lostAnswers = 0 } = this.#treatment;
    this.#assertOpen();
    const made: boolean[] = [];
    for (const checked of changes) {
      await this.#turn();
      const isRefused = refused > 0 && this.#random() < refused;
      let isMade = !isRefused && this.#rows.changeIf(table, checked);
      if (isMade && lostAnswers > 0 && this.#random() < lostAnswers) {
        await this.#turn();
        const { change, column } = checked;
        const now = this.#rows.read(table, change.key, [column])?.cells.get(column);
        isMade = isSame(now, change.put?.get(column));
      }
      made.push(isMade);
      if (!isMade) this.refused += 1;
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
