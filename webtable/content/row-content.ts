import { randomBytes } from 'node:crypto';
import { rowKeyOf } from '../keys/row-key.js';
import { after, removals, scanSteps } from '../scan-steps.js';
import type { Column, RowChange, Store } from '../store.js';
import type { Compaction, ContentLocation, ContentStore, StoredRecord } from './content-store.js';
import { contentOf, readRecord } from './warc-reader.js';
import { newRecordId, warcRecord } from './warc-record.js';

const COLUMN: Column = 'c:b';
const TABLE = 'content';
/** Number of base-36 digits for a time in ms since the epoch. They suffice for the next three thousand years. */
const TIME_DIGITS = 9;
/** Maximum number of records to remove in one step. Each record holds a body. */
const REMOVED_AT_ONCE = 20;

/**
 * Bodies in a table of the row store, for stores that have no content store: the memory store and third-party stores. Each record is a row
 * with one cell, the WARC record; the key is the row key of the page, then the time of the record. A record is removed as soon as no row
 * points at it. The caller that opened the store must close it.
 */
export function createRowContent(store: Store): ContentStore {
  async function records(locations: readonly ContentLocation[]): Promise<(StoredRecord | undefined)[]> {
    const keys = locations.map(({ segment }) => segment);
    return (await store.get(TABLE, keys, [COLUMN])).map((row) => {
      const bytes = row?.cells.get(COLUMN);
      return bytes && readRecord(bytes);
    });
  }

  async function idAt(location: ContentLocation): Promise<string | undefined> {
    return (await records([location]))[0]?.headers.get('warc-record-id');
  }

  return {
    async append(added) {
      const changes: RowChange[] = [];
      const locations: ContentLocation[] = [];
      const ids = added.map(newRecordId);
      for (const [i, record] of added.entries()) {
        const time = Math.max(0, record.date).toString(36).padStart(TIME_DIGITS, '0');
        const segment = `${rowKeyOf(record.url)} ${time}${randomBytes(4).toString('hex')}`;
        // A revisit is not stored, because no row would ever point at it.
        if (record.kind === 'revisit') {
          locations.push({ segment, offset: 0, length: 0 });
          continue;
        }
        const refersTo = record.kind === 'metadata' ? record.refersTo : undefined;
        const id = typeof refersTo === 'number' ? ids[refersTo] : refersTo && (await idAt(refersTo));
        const bytes = warcRecord(record, id === undefined ? undefined : { id }, ids[i]);
        changes.push({ key: segment, put: new Map([[COLUMN, bytes]]) });
        locations.push({ segment, offset: 0, length: bytes.length });
      }
      await store.write(TABLE, changes);
      return locations;
    },
    records,
    async *stream(locations) {
      yield* await records(locations);
      return undefined;
    },
    read: async (locations) => (await records(locations)).map((record) => record && contentOf(record)),
    has: async ({ segment }) => (await store.get(TABLE, [segment], [COLUMN]))[0] !== undefined,
    discard: (locations) => store.write(TABLE, removals(locations.map(({ segment }) => segment))),
    isMostlyDead: async () => false,
    compaction: async () => createCompaction(store),
    close: async () => {},
  };
}

/** Removes the records that no row points at. A killed process may have left such records. */
function createCompaction(store: Store): Compaction {
  /** All records before this key are done. */
  let from = '';
  const removed = { segments: 0, bytes: 0 };

  /** @param end the key at which to stop; absent: after the last record */
  async function removeOthers(kept: ReadonlySet<string>, end?: string): Promise<void> {
    const range = { start: from, ...(end !== undefined && { end }) };
    for await (const rows of scanSteps(store, TABLE, [COLUMN], [range], REMOVED_AT_ONCE)) {
      const others = rows.filter(({ key }) => !kept.has(key));
      removed.segments += others.length;
      for (const { cells } of others) removed.bytes += cells.get(COLUMN)?.length ?? 0;
      await store.write(TABLE, removals(others.map(({ key }) => key)));
    }
    from = end ?? from;
  }

  return {
    note() {},
    begin: async () => true,
    async move(locations) {
      const keys = locations.map(({ segment }) => segment).sort();
      const last = keys.at(-1);
      if (last !== undefined) await removeOthers(new Set(keys), after(last));
      return [...locations];
    },
    async finish() {
      await removeOthers(new Set());
      return removed;
    },
  };
}
