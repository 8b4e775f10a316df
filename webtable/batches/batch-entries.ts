/**
 * The index of the rows that each batch holds. Like every index it never misses a row, but may hold stale entries: the generate mark of a
 * row decides whether the row is in a batch. Rows of a host that enter a batch together are one group, with one key: the slot of the rows,
 * the queue, the first row key and a hash of all. So the owner of a slot owns the groups of its rows. A group never changes, except that
 * rows are removed.
 */
import { hashOf } from '../../packages/util/index.js';
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
  readonly group: RowGroup;
}

/** The rows of one host that entered a batch together. */
export interface RowGroup {
  readonly key: string;
  /** In order. */
  readonly rowKeys: readonly string[];
  /** The timestamp of the group, on a store with timestamps. Only this group is removed, and not one that is written later. */
  readonly at?: number | undefined;
}

export interface QueuedRow {
  readonly rowKey: string;
  readonly queue: string;
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
/** Maximum rows of a group. */
const GROUP = 20;
/** Between the row keys of a group. */
const SEPARATOR = '\n';
/** Rows that are read at a time. */
const STEP = 1000;
/** Maximum groups of one read that collects the hosts of a queue. If all groups of a read have one host, the rest of the host is skipped. */
const HOST_STEP = 64;
/** Rows of a queue that are read at a time. Many queues are read at the same time. */
const QUEUE_STEP = 50;

type Zone = 'e' | 'u';

export interface ClearOptions {
  readonly updated?: boolean;
  readonly ofSlots?: Iterable<string> | undefined;
}

/** A group as the store has it, with its entries. */
interface ReadGroup {
  readonly row: StoredRow;
  readonly entries: readonly BatchEntry[];
}

export function createBatchEntries(store: Store, slots: Slots) {
  const startOf = (zone: Zone, slot: string, batchId: string, position = ''): string =>
    `${zone}${slot}|${batchId}|${position}`;
  /** The key ranges of the entries of a batch in these slots. Updated rows that wait for their consumers are in the zone `u`. */
  const rangesOf = (batchId: string, zone: Zone, ofSlots: Iterable<string> = slots.all): KeyRange[] =>
    Array.from(ofSlots, (slot) => ({ start: startOf(zone, slot, batchId), end: `${zone}${slot}|${batchId}${FENCE}` }));

  const write = (changes: readonly RowChange[]): Promise<void> => store.write('batch', changes);

  /** Writes rows into a zone, in groups. */
  async function enter(zone: Zone, batchId: string, rows: readonly QueuedRow[], maxRows = GROUP): Promise<void> {
    await write(
      groupsOf(rows, maxRows).map(({ queue, rowKeys }) => {
        const [first = ''] = rowKeys;
        // Other rows get another key, so that no group replaces one that begins with the same row.
        const others = rowKeys.length === 1 ? '' : ` ${hashOf(rowKeys.join(SEPARATOR)).toString(36)}`;
        const position = `${queue}|${first}${others}`;
        return groupChange(startOf(zone, slots.ofRow(first), batchId, position), rowKeys);
      }),
    );
  }

  /** Reads groups in steps of about `count` rows. The size of the groups of a step decides how many groups the next step has. */
  async function* readGroups(range: KeyRange, count: number): AsyncGenerator<ReadGroup[]> {
    let step = Math.ceil(count / GROUP);
    for await (const rows of scanSteps(store, 'batch', COLUMNS, [range], () => step)) {
      // The fences at the end of zones are no groups.
      const groups = rows.filter(({ key }) => key.includes('|')).map((row) => ({ row, entries: entriesOf(row) }));
      if (groups.length === 0) continue;
      yield groups;
      const entries = groups.reduce((sum, each) => sum + each.entries.length, 0);
      step = Math.ceil((count * groups.length) / entries);
    }
  }

  /** Yields entries in steps of about {@link STEP}, each within one range. A group is never divided. A row of several groups is yielded once. */
  async function* entriesIn(ranges: readonly KeyRange[]): AsyncGenerator<BatchEntry[]> {
    const isNew = createDistinct();
    for (const range of ranges) {
      for await (const groups of readGroups(range, STEP)) {
        const step = groups.flatMap(({ entries }) => entries.filter(isNew));
        if (step.length > 0) yield step;
      }
    }
  }

  return {
    /**
     * Adds rows to the index of a batch. Call it before the rows get their mark.
     * @param maxRows maximum rows of a group
     */
    enter: (batchId: string, rows: readonly QueuedRow[], maxRows?: number): Promise<void> =>
      enter('e', batchId, rows, maxRows),

    /**
     * Removes entries of one step from the indexes of their batches. Call it after the rows have lost their mark. The other rows of a group
     * stay.
     */
    async remove(entries: readonly BatchEntry[]): Promise<void> {
      const removed = new Map<RowGroup, Set<string>>();
      for (const { group, rowKey } of entries) {
        const rows = removed.get(group);
        if (rows) rows.add(rowKey);
        else removed.set(group, new Set([rowKey]));
      }
      await write(
        Array.from(removed, ([{ key, rowKeys, at }, gone]) => {
          const left = rowKeys.filter((rowKey) => !gone.has(rowKey));
          return left.length > 0 ? groupChange(key, left) : { key, clear: true, at };
        }),
      );
    },

    /** Writes entries for updated rows, so that consumers can still find the rows. Call it before the rows lose their mark. */
    keepUpdated: (batchId: string, rows: readonly QueuedRow[]): Promise<void> => enter('u', batchId, rows),

    /**
     * Removes the remaining entries from the index of a batch.
     * @param options `updated`: whether to remove the updated rows, instead of the rows in the batch; `ofSlots`: absent: all slots
     */
    async clear(batchId: string, { updated = false, ofSlots }: ClearOptions = {}): Promise<void> {
      for (const range of rangesOf(batchId, updated ? 'u' : 'e', ofSlots)) {
        for await (const groups of readGroups(range, STEP)) {
          await write(groups.map(({ row: { key, at } }) => ({ key, clear: true, at })));
        }
      }
    },

    /** The entries of all rows of a batch, in steps: slot by slot, queue by queue. @param ofSlots absent: all slots */
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
          const found = rows.map(placeOf);
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

    /**
     * Yields the row keys of a queue, a few at a time.
     * @param host absent: all hosts of the queue
     */
    async *rowKeys(
      batchId: string,
      { queue, slot }: Pick<BatchQueue, 'queue' | 'slot'>,
      host?: HostKey,
    ): AsyncGenerator<string[]> {
      const start = startOf('e', slot, batchId, `${queue}|`);
      const rows = host === undefined ? undefined : rowsOfHost(host);
      const range = rows
        ? { start: start + rows.start, end: start + rows.end }
        : { start, end: `${start.slice(0, -1)}${FENCE}` };
      const isNew = createDistinct();
      for await (const read of readGroups(range, QUEUE_STEP)) {
        yield read.flatMap(({ entries }) => entries.filter(isNew)).map(({ rowKey }) => rowKey);
      }
    },

    allEntries: (): AsyncGenerator<BatchEntry[]> => entriesIn([{ start: 'e', end: 'f' }]),
  };

  /**
   * Returns the start of the next read after a full step. If all groups of the step have one host, the next read skips the rest of the host.
   * Otherwise it begins after the last group.
   */
  function behind(batchId: string, step: readonly Place[], lastKey: string): string {
    const { slot, queue, rowKey } = step.at(-1)!;
    const host = hostKeyOfRow(rowKey);
    if (host !== hostKeyOfRow(step[0]!.rowKey)) return after(lastKey);
    return startOf('e', slot, batchId, `${queue}|${rowsOfHost(host).end}`);
  }
}

/** Cuts rows into groups. The rows of a group have one queue and one host. */
function groupsOf(
  rows: readonly QueuedRow[],
  maxRows: number,
): { readonly queue: string; readonly rowKeys: readonly string[] }[] {
  const groups: { queue: string; host: HostKey; rowKeys: string[] }[] = [];
  for (const { queue, rowKey } of [...rows].sort(byQueue)) {
    const host = hostKeyOfRow(rowKey);
    const last = groups.at(-1);
    if (last?.queue === queue && last.host === host && last.rowKeys.length < maxRows) last.rowKeys.push(rowKey);
    else groups.push({ queue, host, rowKeys: [rowKey] });
  }
  return groups;
}

function byQueue(a: QueuedRow, b: QueuedRow): number {
  if (a.queue !== b.queue) return a.queue < b.queue ? -1 : 1;
  return a.rowKey < b.rowKey ? -1 : Number(a.rowKey > b.rowKey);
}

/** The change that writes a group. The key names the only row of a group that had one row from the beginning. */
function groupChange(key: string, rowKeys: readonly string[]): RowChange {
  const value = text.encode(rowKeys.length === 1 && key.endsWith(`|${rowKeys[0]}`) ? '' : rowKeys.join(SEPARATOR));
  return { key, clear: true, put: new Map([[INDEX_COLUMNS.batchEntry, value]]) };
}

/** Where a group is: its batch, and the row key with which it begins. */
type Place = Pick<BatchEntry, 'batchId' | 'slot' | 'queue' | 'rowKey'>;

function placeOf({ key }: Pick<StoredRow, 'key'>): Place {
  const [head = '', batchId = '', queue = ''] = key.split('|', 3);
  return { batchId, slot: head.slice(1), queue, rowKey: key.slice(head.length + batchId.length + queue.length + 3) };
}

function entriesOf(row: StoredRow): BatchEntry[] {
  const { key, cells, at } = row;
  const { batchId, slot, queue, rowKey: first } = placeOf(row);
  const value = text.decode(cells.get(INDEX_COLUMNS.batchEntry)!);
  const rowKeys = value === '' ? [first] : value.split(SEPARATOR);
  const group: RowGroup = { key, rowKeys, at };
  return rowKeys.map((rowKey) => ({ batchId, rowKey, queue, slot, group }));
}

/**
 * Returns a filter of entries in the order of their groups, which lets each row pass once. A row is in two groups of a batch if it entered
 * the batch twice, for example after a failure. Groups are in the order of their first rows, so the filter forgets the rows before these.
 */
function createDistinct(): (entry: BatchEntry) => boolean {
  let last: BatchEntry | undefined;
  const seen = new Set<string>();
  let mostSeen = STEP;
  return (entry) => {
    const { batchId, slot, queue, rowKey, group } = entry;
    if (last?.batchId !== batchId || last.slot !== slot || last.queue !== queue) seen.clear();
    last = entry;
    if (seen.size > mostSeen) {
      // The key keeps its place when the first row is removed.
      const first = placeOf(group).rowKey.split(' ', 1)[0]!;
      for (const each of seen) if (each < first) seen.delete(each);
      mostSeen = Math.max(STEP, 2 * seen.size);
    }
    if (seen.has(rowKey)) return false;
    seen.add(rowKey);
    return true;
  };
}
