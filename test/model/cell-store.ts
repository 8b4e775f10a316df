import type { Batch, Lease, LinksOfChunk, Page } from './decide.js';

/** What the tables hold. An empty record (`null`) of a page is a page that does not exist. */
export interface Rows {
  readonly pages: Page | null;
  readonly frontier: true;
  readonly index: true;
  readonly inbox: LinksOfChunk;
  readonly batches: Batch;
  readonly leases: Lease;
}
export type Table = keyof Rows;

/** A cell with the timestamp that its writer gave it. */
export interface Cell<T extends Table = Table> {
  readonly at: number;
  readonly value: Rows[T];
}

interface Stored {
  put: Cell | undefined;
  /** The timestamp of the newest delete marker. */
  deletedTo: number;
}

/**
 * A store with the timestamps of HBase, one cell a row. The cell with the newest timestamp is visible, in whatever order the puts arrive. A
 * delete hides all cells that are not newer than itself, also those that arrive later, until a major compaction removes the marker.
 */
export class CellStore {
  readonly #tables: { readonly [T in Table]: Map<string, Stored> } = {
    pages: new Map(),
    frontier: new Map(),
    index: new Map(),
    inbox: new Map(),
    batches: new Map(),
    leases: new Map(),
  };

  get<T extends Table>(table: T, key: string): Cell<T> | undefined {
    return this.#tables[table].get(key)?.put as Cell<T> | undefined;
  }

  /** The keys that begin with a prefix and come after a key, in order, at most `limit`. */
  keys(table: Table, prefix = '', after = '', limit = Infinity): string[] {
    const found: string[] = [];
    for (const [key, { put }] of this.#tables[table]) if (put && key > after && key.startsWith(prefix)) found.push(key);
    return found.sort().slice(0, limit);
  }

  put<T extends Table>(table: T, key: string, value: Rows[T], at: number): void {
    const stored = this.#stored(table, key);
    if (at > stored.deletedTo && at >= (stored.put?.at ?? 0)) stored.put = { at, value };
  }

  delete(table: Table, key: string, at: number): void {
    const stored = this.#stored(table, key);
    stored.deletedTo = Math.max(stored.deletedTo, at);
    if (stored.put && stored.put.at <= at) stored.put = undefined;
  }

  /** Replaces a row if it still has the value that was read. An undefined `value` deletes the row. */
  compareAndSet<T extends Table>(
    table: T,
    key: string,
    read: Rows[T] | undefined,
    value: Rows[T] | undefined,
  ): boolean {
    const stored = this.#stored(table, key);
    if (JSON.stringify(stored.put?.value) !== JSON.stringify(read)) return false;
    stored.put = value === undefined ? undefined : { at: 1, value };
    return true;
  }

  /** A major compaction: delete markers go, and what they hide with them. */
  compact(): void {
    for (const table of Object.values(this.#tables)) {
      for (const [key, stored] of table) {
        stored.deletedTo = 0;
        if (!stored.put) table.delete(key);
      }
    }
  }

  #stored(table: Table, key: string): Stored {
    const rows = this.#tables[table];
    let stored = rows.get(key);
    if (!stored) rows.set(key, (stored = { put: undefined, deletedTo: 0 }));
    return stored;
  }
}
