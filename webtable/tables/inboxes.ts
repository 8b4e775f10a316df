/**
 * The inboxes of the slots: what workers want to add to rows of slots that they do not own. A worker puts an entry blindly, and never reads
 * it. The owner of the slot reads the entries, changes the rows, and then removes the entries. If all slots always have the same owner, no
 * slot has an inbox.
 *
 * A key consists of the slot of the row, the row key, and the source of the entry. So all entries of a row are next to each other, and the
 * slot whose owner has put an entry can be read from its key.
 */
import { randomUUID } from 'node:crypto';
import { FENCE, type Slots } from '../keys/partition.js';
import { isRecord, json, readableValue } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store, StoredRow } from '../store.js';

/** Where an entry comes from. An entry of the same source for the same row replaces the earlier one. */
export interface EntrySource {
  /** The id of the batch, or of the run of inject. */
  readonly run: string;
  /** The slot whose owner puts the entry. Empty: inject puts it, which owns no slot. */
  readonly slot: string;
  /** The part of the batch in this slot, or of the run. */
  readonly part: string;
}

export interface NewInboxEntry {
  readonly rowKey: string;
  readonly source: EntrySource;
  /** Plain data that JSON can hold. */
  readonly value: object;
}

export interface InboxEntry {
  readonly rowKey: string;
  readonly source: EntrySource;
  /** undefined: it cannot be read. */
  readonly value: unknown;
  /** The timestamp of the entry. */
  readonly at: number | undefined;
}

export type Inboxes = ReturnType<typeof createInboxes>;

const codec = json<object>(isRecord);
const COLUMN = INDEX_COLUMNS.batchEntry;
/** Maximum number of entries that are read at a time. An entry may have a link of each page of a part of a batch. */
const STEP = 200;
/** Number of base-36 digits of a time in ms since the epoch. */
const TIME_DIGITS = 9;

/** @param withInbox the slots that have an inbox: all or none */
export function createInboxes(store: Store, slots: Slots, withInbox: readonly string[]) {
  const withInboxes = new Set(withInbox);
  const keyOf = (rowKey: string, { run, slot, part }: EntrySource): string =>
    `i${slots.ofRow(rowKey)}|${rowKey}|${run}/${slot}/${part}`;
  const rangeOf = (slot: string): KeyRange => ({ start: `i${slot}|`, end: `i${slot}${FENCE}` });

  async function* entriesIn(ranges: readonly KeyRange[]): AsyncGenerator<InboxEntry[]> {
    for await (const rows of scanSteps(store, 'batch', [COLUMN], ranges, STEP)) yield rows.map(toEntry);
  }

  let lastRun = 0;

  return {
    /** Returns those of some slots that have an inbox. */
    of: (some: Iterable<string>): ReadonlySet<string> =>
      new Set(Array.from(some).filter((slot) => withInboxes.has(slot))),

    /** Returns a run for the source of entries. The entries of a row are in the order of the runs of a process. @param now in ms since the epoch */
    newRun(now: number): string {
      lastRun = Math.max(lastRun + 1, now);
      return `${lastRun.toString(36).padStart(TIME_DIGITS, '0')}-${randomUUID()}`;
    },

    /** Puts entries into the inboxes of their rows, in one write. */
    async put(entries: readonly NewInboxEntry[]): Promise<void> {
      await store.write(
        'batch',
        entries.map(({ rowKey, source, value }) => ({
          key: keyOf(rowKey, source),
          put: new Map([[COLUMN, codec.encode(value)]]),
        })),
      );
    },

    /** The entries of a slot in order of row key, in steps. Entries that are put meanwhile may be missing. */
    entries: (slot: string): AsyncGenerator<InboxEntry[]> => entriesIn([rangeOf(slot)]),

    /** Like `entries`, for some rows of any slots. Entries of rows between these are included. */
    entriesAround(rowKeys: readonly string[]): AsyncGenerator<InboxEntry[]> {
      const rangeOfSlot = new Map<string, KeyRange>();
      for (const start of rowKeys.map((key) => `i${slots.ofRow(key)}|${key}|`).sort()) {
        const slot = slotOfEntry(start);
        if (!withInboxes.has(slot)) continue;
        rangeOfSlot.set(slot, { start: rangeOfSlot.get(slot)?.start ?? start, end: `${start}${FENCE}` });
      }
      return entriesIn([...rangeOfSlot.values()]);
    },

    /** Removes entries, but no entry that was put again after it was read. Call it after the rows are changed. */
    remove: (entries: readonly InboxEntry[]): Promise<void> =>
      store.write(
        'batch',
        entries.map(({ rowKey, source, at }) => ({ key: keyOf(rowKey, source), clear: true, at })),
      ),

    /**
     * Returns the number of entries of each slot that has any, counted up to a limit. Empty inboxes cost no read: each read begins where the
     * previous one has ended, or after a slot that has reached the limit.
     */
    async sizes(ofSlots: Iterable<string>, limit: number): Promise<ReadonlyMap<string, number>> {
      const sizes = new Map<string, number>();
      const wanted = new Set(ofSlots);
      for (let start: string | undefined = wanted.size > 0 ? 'i' : undefined; start !== undefined;) {
        const rows = await readRange(store, 'batch', [COLUMN], { start, end: `i${FENCE}` }, limit);
        for (const { key } of rows) sizes.set(slotOfEntry(key), (sizes.get(slotOfEntry(key)) ?? 0) + 1);
        const last = rows.at(-1)?.key;
        if (last === undefined || rows.length < limit) break;
        const slot = slotOfEntry(last);
        start = sizes.get(slot)! < limit ? after(last) : rangeOf(slot).end!;
      }
      return new Map(
        [...sizes].filter(([slot]) => wanted.has(slot)).map(([slot, size]) => [slot, Math.min(size, limit)]),
      );
    },
  };
}

const slotOfEntry = (key: string): string => key.slice(1, key.indexOf('|'));

export function sourceOfEntry(key: string): EntrySource {
  const [run = '', slot = '', part = ''] = key.slice(key.lastIndexOf('|') + 1).split('/');
  return { run, slot, part };
}

function toEntry(row: StoredRow): InboxEntry {
  const { key, at } = row;
  const rowKey = key.slice(key.indexOf('|') + 1, key.lastIndexOf('|'));
  return { rowKey, source: sourceOfEntry(key), value: readableValue(row, COLUMN, codec), at };
}
