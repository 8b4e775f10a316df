import { randomBytes } from 'node:crypto';
import { rowKeyOf } from '../keys/row-key.js';
import type { Column, Store } from '../store.js';
import type {
  Compaction,
  ContentLocation,
  ContentRecord,
  ContentStore,
  StoredContent,
  StoredRecord,
} from './content-store.js';
import { contentOf, readRecord } from './warc-reader.js';
import { warcRecord } from './warc-record.js';

const COLUMN: Column = 'c:b';
const TABLE = 'content';
/** Digits of a time in ms since the epoch in base 36, for the next three thousand years. */
const TIME_DIGITS = 9;
const DELETED_AT_ONCE = 100;

/**
 * Bodies in a table of the store that has the rows, for stores without a content store of their own: in memory, and those of
 * others. A record is a row of its own, with the WARC record as its cell; its key is that of the page, then its time.
 * What no row points at any more is removed at once. The store is closed by whoever opened it.
 */
export class RowContent implements ContentStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async append(records: readonly ContentRecord[]): Promise<ContentLocation[]> {
    const changes: { key: string; put: Map<Column, Uint8Array> }[] = [];
    const locations = records.map((record) => {
      const time = Math.max(0, record.date).toString(36).padStart(TIME_DIGITS, '0');
      const segment = `${rowKeyOf(record.url)} ${time}${randomBytes(4).toString('hex')}`;
      // Nothing would ever point at a revisit.
      if (record.kind === 'revisit') return { segment, offset: 0, length: 0 };
      const bytes = warcRecord(record);
      changes.push({ key: segment, put: new Map([[COLUMN, bytes]]) });
      return { segment, offset: 0, length: bytes.length };
    });
    if (changes.length > 0) await this.#store.write(TABLE, changes);
    return locations;
  }

  async read(locations: readonly ContentLocation[]): Promise<(StoredContent | undefined)[]> {
    return (await this.records(locations)).map((record) => record && contentOf(record));
  }

  async records(locations: readonly ContentLocation[]): Promise<(StoredRecord | undefined)[]> {
    const keys = locations.map(({ segment }) => segment);
    const rows = await this.#store.get(TABLE, keys, [COLUMN]);
    return rows.map((row) => {
      const bytes = row?.cells.get(COLUMN);
      return bytes && readRecord(bytes);
    });
  }

  async has({ segment }: ContentLocation): Promise<boolean> {
    const [row] = await this.#store.get(TABLE, [segment], [COLUMN]);
    return row?.cells.has(COLUMN) ?? false;
  }

  async discard(locations: readonly ContentLocation[]): Promise<void> {
    await this.#remove(locations.map(({ segment }) => segment));
  }

  async isMostlyDead(): Promise<boolean> {
    return false;
  }

  async compaction(): Promise<Compaction> {
    return new RowCompaction(this.#store, (keys) => this.#remove(keys));
  }

  async close(): Promise<void> {}

  async #remove(keys: readonly string[]): Promise<void> {
    await this.#store.write(
      TABLE,
      keys.map((key) => ({ key, clear: true })),
    );
  }
}

/** Removes the records that lie between those that rows point at; a kill in between leaves some. */
class RowCompaction implements Compaction {
  readonly #store: Store;
  readonly #remove: (keys: readonly string[]) => Promise<void>;
  /** Everything before this key is done. */
  #from = '';
  #removed = { segments: 0, bytes: 0 };

  constructor(store: Store, remove: (keys: readonly string[]) => Promise<void>) {
    this.#store = store;
    this.#remove = remove;
  }

  note(): void {}

  async begin(): Promise<boolean> {
    return true;
  }

  async move(locations: readonly ContentLocation[]): Promise<ContentLocation[]> {
    const keys = locations.map(({ segment }) => segment).sort();
    const last = keys.at(-1);
    if (last !== undefined) await this.#removeOthers(new Set(keys), last);
    return [...locations];
  }

  async finish(): Promise<{ readonly segments: number; readonly bytes: number }> {
    await this.#removeOthers(new Set(), undefined);
    return this.#removed;
  }

  /** @param last a key; all up to it are looked at, or all that are left where it is undefined */
  async #removeOthers(kept: ReadonlySet<string>, last: string | undefined): Promise<void> {
    // Keys are printable, so this one comes right behind it.
    const end = last === undefined ? undefined : `${last}\u0001`;
    const range = { start: this.#from, ...(end !== undefined && { end }) };
    let keys: string[] = [];
    for await (const { key, cells } of this.#store.scan(TABLE, { ranges: [range], columns: [COLUMN] })) {
      if (kept.has(key)) continue;
      keys.push(key);
      this.#removed.segments += 1;
      this.#removed.bytes += cells.get(COLUMN)?.length ?? 0;
      if (keys.length < DELETED_AT_ONCE) continue;
      await this.#remove(keys);
      keys = [];
    }
    if (keys.length > 0) await this.#remove(keys);
    if (end !== undefined) this.#from = end;
  }
}
