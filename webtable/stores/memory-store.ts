import { CrawlError } from '../../packages/errors/index.js';
import { checkChanges, checkTable } from '../check-changes.js';
import type { TableName } from '../schema.js';
import { parseSelectors, selects, splitColumn, type FamilySelector } from '../selectors.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';

type Cells = ReadonlyMap<string, Uint8Array>;

/** A table in memory. Rows are replaced and never changed, so a row that was read stays the same. */
interface Table {
  readonly rows: Map<string, Cells>;
  /** The keys of `rows`, sorted. */
  readonly keys: string[];
}

/** A store in memory, the simplest implementation of {@link Store}. The other stores are tested against it. */
export class MemoryStore implements Store {
  readonly #tables = new Map<TableName, Table>();
  #closed = false;

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    const { rows } = this.#table(table);
    const families = parseSelectors(table, columns);
    return keys.map((key) => select(key, rows.get(key), families));
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    const { rows, keys } = this.#table(table);
    const families = parseSelectors(table, options.columns);
    const { ranges = [{ start: '' }], limit = Infinity } = options;

    const snapshot = ranges.flatMap(({ start, end }) =>
      keys
        .slice(position(keys, start), end === undefined ? undefined : position(keys, end))
        .map((key) => ({ key, cells: rows.get(key)! })),
    );
    let found = 0;
    for (const { key, cells } of snapshot) {
      if (found >= limit) return;
      const row = select(key, cells, families);
      if (!row) continue;
      found++;
      yield row;
      this.#assertOpen();
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    const { rows, keys } = this.#table(table);
    checkChanges(table, changes);
    for (const change of changes) {
      const { key } = change;
      const cells = apply(rows.get(key), change);
      if (cells.size > 0) {
        if (!rows.has(key)) keys.splice(position(keys, key), 0, key);
        rows.set(key, cells);
      } else if (rows.delete(key)) {
        keys.splice(position(keys, key), 1);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tables.clear();
  }

  #table(name: TableName): Table {
    this.#assertOpen();
    checkTable(name);
    let table = this.#tables.get(name);
    if (!table) this.#tables.set(name, (table = { rows: new Map(), keys: [] }));
    return table;
  }

  #assertOpen(): void {
    if (this.#closed) throw new CrawlError('CLOSED', 'the store is closed');
  }
}

/** The row after the change, with its cells in order of their columns. */
function apply(before: Cells | undefined, change: RowChange): Cells {
  const cells = new Map(change.clear ? undefined : before);
  for (const column of change.delete ?? []) cells.delete(column);
  for (const [column, value] of change.put ?? []) cells.set(column, new Uint8Array(value));
  return new Map([...cells].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function select(
  key: string,
  cells: Cells | undefined,
  families: ReadonlyMap<string, FamilySelector>,
): StoredRow | undefined {
  const selected = new Map<string, Uint8Array>();
  for (const [column, value] of cells ?? []) {
    const [family, qualifier = ''] = splitColumn(column);
    const selector = families.get(family);
    if (selector && selects(selector, qualifier)) selected.set(column, value);
  }
  return selected.size > 0 ? { key, cells: selected } : undefined;
}

/** Returns the index of a key in the sorted keys. If the key is missing, this is the index at which it would be inserted. */
function position(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
