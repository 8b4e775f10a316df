/**
 * The index of the rows that each batch holds. Like every index it never misses a row, but may hold stale entries: the generate mark of a
 * row decides whether the row is in a batch. A key consists of the slot of the row, the queue and the row key. So the owner of a slot owns
 * the entries of its rows.
 */
import { hostKeyOfRow, rowsOfHost, type HostKey } from '../keys/host-key.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { text } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, RowChange, Store, StoredRow } from '../store.js';

/** A row in the index of a batch. */
export interface BatchEntry {
  readonly batchId: string;
  readonly rowKey: string;
  readonly queue: string;
  readonly slot: string;
  /** Orders the entries of a slot: they are read in the order of this text. */
  readonly position: string;
  /** The timestamp of the entry, on a store with timestamps. Only this entry is removed, and not one that is written later. */
  readonly at?: number | undefined;
}

/**
 * The rows of a queue in one slot. A queue is the unit of politeness: a host, a domain or an IP address. The queue of an IP address may have
 * hosts in several slots.
 */
export interface BatchQueue {
  readonly queue: string;
  readonly slot: string;
  /** The hosts of the queue, in order of host key. */
  readonly hosts: readonly HostKey[];
}

const COLUMNS = [INDEX_COLUMNS.batchEntry];
const NOTHING = new Map([[INDEX_COLUMNS.batchEntry, text.encode('')] as const]);
const STEP = 1000;
/** Maximum rows of one read that collects the hosts of a queue. If all rows of a read have one host, the rest of the host is skipped. */
const HOST_STEP = 64;

export function createBatchEntries(store: Store, slots: Slots) {
  const entryKey = (batchId: string, queue: string, rowKey: string): string =>
    `e${slots.ofRow(rowKey)}|${batchId}|${queue}|${rowKey}`;
  const positionKey = (batchId: string, { slot, position }: Pick<BatchEntry, 'slot' | 'position'>): string =>
    `e${slot}|${batchId}|${position}`;
  /** The key ranges of the entries of a batch in these slots. Updated rows that wait for their consumers are in the zone `u`. */
  const rangesOf = (batchId: string, zone: 'e' | 'u', ofSlots: Iterable<string> = slots.all): KeyRange[] =>
    Array.from(ofSlots, (slot) => ({ start: `${zone}${slot}|${batchId}|`, end: `${zone}${slot}|${batchId}${FENCE}` }));

  async function write(changes: readonly RowChange[]): Promise<void> {
    if (changes.length > 0) await store.write('batch', changes);
  }

  async function* entriesIn(ranges: readonly KeyRange[]): AsyncGenerator<BatchEntry[]> {
    for await (const rows of scanSteps(store, 'batch', COLUMNS, ranges, STEP)) yield rows.map(toEntry);
  }

  return {
    /** Adds rows to the index of a batch. Call it before the rows get their mark. */
    enter: (batchId: string, rows: readonly { readonly rowKey: string; readonly queue: string }[]): Promise<void> =>
      write(rows.map(({ rowKey, queue }) => ({ key: entryKey(batchId, queue, rowKey), clear: true, put: NOTHING }))),

    /** Removes entries from the indexes of their batches. Call it after the rows have lost their mark. */
    remove: (entries: readonly Pick<BatchEntry, 'batchId' | 'slot' | 'position' | 'at'>[]): Promise<void> =>
      write(entries.map(({ batchId, at, ...entry }) => ({ key: positionKey(batchId, entry), clear: true, at }))),

    /** Writes entries for updated rows, so that consumers can still find the rows. Call it before the rows lose their mark. */
    keepUpdated: (batchId: string, rows: readonly Pick<BatchEntry, 'slot' | 'position'>[]): Promise<void> =>
      write(rows.map(({ slot, position }) => ({ key: `u${slot}|${batchId}|${position}`, clear: true, put: NOTHING }))),

    /**
     * Removes the remaining entries from the index of a batch.
     * @param zone `e`: rows in the batch; `u`: updated rows
     */
    async clear(batchId: string, zone: 'e' | 'u', ofSlots?: Iterable<string>): Promise<void> {
      for (const range of rangesOf(batchId, zone, ofSlots)) {
        for await (const rows of scanSteps(store, 'batch', COLUMNS, [range], STEP)) {
          await write(rows.map(({ key, at }) => ({ key, clear: true, at })));
        }
      }
    },

    /** The entries of all rows of a batch, in steps: slot by slot, in order of position. @param ofSlots absent: all slots */
    entries: (batchId: string, ofSlots?: Iterable<string>): AsyncGenerator<BatchEntry[]> =>
      entriesIn(rangesOf(batchId, 'e', ofSlots)),
    /** The entries of all updated rows of a batch, in steps. @param ofSlots absent: all slots */
    updated: (batchId: string, ofSlots?: Iterable<string>): AsyncGenerator<BatchEntry[]> =>
      entriesIn(rangesOf(batchId, 'u', ofSlots)),

    /** The queues of a batch with their hosts, slot by slot. The queues of a slot are in order of name. @param ofSlots absent: all slots */
    async *queues(batchId: string, ofSlots?: Iterable<string>): AsyncGenerator<BatchQueue> {
      let current: { queue: string; slot: string; hosts: HostKey[] } | undefined;
      for (const { start: first, end } of rangesOf(batchId, 'e', ofSlots)) {
        for (let start: string | undefined = first; start !== undefined;) {
          const range: KeyRange = { start, ...(end !== undefined && { end }) };
          const rows = await readRange(store, 'batch', COLUMNS, range, HOST_STEP);
          const found = rows.map(toEntry);
          for (const { queue, slot, rowKey } of found) {
            const host = hostKeyOfRow(rowKey);
            const isSame = current?.queue === queue && current.slot === slot;
            if (current && !isSame) yield current;
            if (!current || !isSame) current = { queue, slot, hosts: [host] };
            else if (current.hosts.at(-1) !== host) current.hosts.push(host);
          }
          start = rows.length < HOST_STEP ? undefined : behind(batchId, found, rows.at(-1)!.key);
        }
      }
      if (current) yield current;
    },

    /** Returns at most `limit` row keys of a queue, in order, starting after `last`. */
    async rowKeys(
      batchId: string,
      { queue, slot }: Pick<BatchQueue, 'queue' | 'slot'>,
      last: string | undefined,
      limit: number,
    ): Promise<string[]> {
      const start = positionKey(batchId, { slot, position: `${queue}|` });
      const range = {
        start: last === undefined ? start : after(`${start}${last}`),
        end: `${start.slice(0, -1)}${FENCE}`,
      };
      return (await readRange(store, 'batch', COLUMNS, range, limit)).map((row) => toEntry(row).rowKey);
    },

    /** Returns for each row whether the row is in the index of the batch. */
    async has(rows: readonly { readonly batchId: string; readonly rowKey: string; readonly queue: string }[]) {
      const keys = rows.map(({ batchId, rowKey, queue }) => entryKey(batchId, queue, rowKey));
      const found = await store.get('batch', keys, COLUMNS);
      return found.map((row) => row !== undefined);
    },

    async *allEntries(): AsyncGenerator<BatchEntry[]> {
      for await (const rows of scanSteps(store, 'batch', COLUMNS, [{ start: 'e', end: 'f' }], STEP)) {
        yield rows.filter(({ key }) => key.includes('|')).map(toEntry);
      }
    },
  };

  /**
   * Returns the start of the next read after a full step. If all rows of the step have one host, the next read skips the rest of the host.
   * Otherwise it begins after the last row.
   */
  function behind(batchId: string, step: readonly BatchEntry[], lastKey: string): string {
    const { slot, queue, rowKey } = step.at(-1)!;
    const host = hostKeyOfRow(rowKey);
    if (host !== hostKeyOfRow(step[0]!.rowKey)) return after(lastKey);
    return positionKey(batchId, { slot, position: `${queue}|${rowsOfHost(host).end}` });
  }
}

function toEntry({ key, at }: Pick<StoredRow, 'key' | 'at'>): BatchEntry {
  const [head = '', batchId = '', queue = ''] = key.split('|', 3);
  const position = key.slice(head.length + batchId.length + 2);
  return { batchId, rowKey: position.slice(queue.length + 1), queue, slot: head.slice(1), position, at };
}
