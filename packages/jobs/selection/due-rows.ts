import type { Frontier, FrontierEntry, HostKey, HostScore } from '../../../webtable/index.js';
import { createHeap, type HeapItem } from '../../util/index.js';
import { isBefore, type Place } from './place.js';

/** A row that is due, as the frontier has it. */
export interface DueRow extends FrontierEntry {
  readonly host: HostKey;
  /** What `generate.maxCount` counts by. */
  readonly queue: string;
}

/** The rows that are due, in the order in which a scan of the whole table would select them. */
export interface DueRows {
  /** The next rows, best score first and then by row key, and of no queue more than it has room for. */
  read(limit: number): Promise<DueRow[]>;
  /**
   * Says of a row of the last read that it is not selected, so that its queue has room for another.
   * @returns whether that other one should have come before the rest of that read, which is then to be given back
   */
  refuse(row: DueRow): boolean;
  /** Takes back the rest of the last read. */
  giveBack(rows: readonly DueRow[]): void;
  /** How many queues had more rows than room, as far as it has read. */
  readonly fullQueues: number;
}

export interface DueRowsOptions {
  readonly frontier: Frontier;
  /** Rows read of one queue that are not refused. */
  readonly maxPerQueue: number;
  /** The slots of the hosts that are read. Absent: all. */
  readonly slots?: Iterable<string> | undefined;
  /** The queue of a host; undefined where nothing of it is to be read. */
  readonly queueOf: (host: HostKey) => Promise<string | undefined>;
}

/** One host, as far as it was read. Its place is that of its next row, or no later. */
interface Cursor extends HeapItem, Place {
  readonly host: HostKey;
  readonly queue: string;
  /** Rows read ahead, the next one last. */
  readonly ahead: DueRow[];
  score: number;
  rowKey: string;
  /** The entry after which to read on; undefined where there is no more. */
  after: string | undefined;
  readAhead: number;
}

/** Hosts that are opened together. */
const HOSTS_AT_ONCE = 32;
const FIRST_READ = 2;
const LONGEST_READ = 500;

/**
 * Reads the frontier from its best row down. A host is opened when its head says that its best row may be the next of
 * all, and read on only while its queue has room, so hosts and rows that are not selected cost nothing. It holds the
 * names of the hosts that it has opened, how many rows it took of each queue, and what it has read ahead.
 */
export function createDueRows({ frontier, maxPerQueue, slots, queueOf }: DueRowsOptions): DueRows {
  const heads = frontier.heads(slots);
  let head: (HostScore & Place) | undefined;
  let hasBegun = false;
  const opened = new Set<string>();
  /** Those that are not through, and those that the last read was through with. */
  const cursors = new Map<string, Cursor>();
  const heap = createHeap<Cursor>(isBefore);
  /** Rows of a queue that were read and not refused. */
  const taken = new Map<string, number>();
  /** Cursors that the last read stopped for want of room. */
  const stopped = new Set<Cursor>();
  /** Cursors that came to their end. */
  const ended = new Set<Cursor>();
  const full = new Set<string>();

  const roomOf = (queue: string): number => maxPerQueue - (taken.get(queue) ?? 0);
  const take = (queue: string, n: number): void => void taken.set(queue, (taken.get(queue) ?? 0) + n);

  async function nextHead(): Promise<void> {
    const next = await heads.next();
    head = next.done ? undefined : { ...next.value, rowKey: `${next.value.host}:` };
  }

  /** Opens every host that may have the next row. */
  async function openHosts(): Promise<void> {
    if (!hasBegun) await nextHead();
    hasBegun = true;
    while (head && !(heap.first && isBefore(heap.first, head))) {
      const some: (HostScore & Place)[] = [];
      for (; head && some.length < HOSTS_AT_ONCE && !(heap.first && isBefore(heap.first, head)); await nextHead()) {
        if (opened.has(head.host)) continue;
        opened.add(head.host);
        some.push(head);
      }
      await Promise.all(some.map(open));
    }
  }

  async function open({ host, score, rowKey }: HostScore & Place): Promise<void> {
    const queue = await queueOf(host);
    if (queue === undefined) return;
    const cursor: Cursor = { host, queue, ahead: [], score, rowKey, after: '', readAhead: FIRST_READ, at: -1 };
    cursors.set(host, cursor);
    await readOn(cursor);
  }

  /** Reads one row more than there is room for, to know whether there is one. */
  async function readOn(cursor: Cursor): Promise<void> {
    const limit = Math.min(cursor.readAhead, Math.max(0, roomOf(cursor.queue)) + 1);
    cursor.readAhead = Math.min(cursor.readAhead * 4, LONGEST_READ);
    const entries = await frontier.due(cursor.host, cursor.after || cursor.score, limit);
    cursor.after = entries.length < limit ? undefined : entries.at(-1)?.entryKey;
    const { host, queue } = cursor;
    // Spelled out: V8 gives each object that is spread from others a shape of its own, which takes more than its values.
    for (const { entryKey, rowKey, score, version } of entries.reverse()) {
      cursor.ahead.push({ entryKey, rowKey, score, version, host, queue });
    }
    settle(cursor);
  }

  /** Puts a cursor where its next row is. */
  function settle(cursor: Cursor): void {
    const next = cursor.ahead.at(-1);
    if (next) {
      cursor.score = next.score;
      cursor.rowKey = next.rowKey;
    }
    if (next || cursor.after !== undefined) heap.put(cursor);
    else {
      heap.remove(cursor);
      ended.add(cursor);
    }
  }

  /** Forgets the cursors that have no more to give, now that nothing of the last read is refused or given back. */
  function forget(): void {
    for (const cursor of [...stopped, ...ended]) if (cursor.at < 0) cursors.delete(cursor.host);
    stopped.clear();
    ended.clear();
  }

  return {
    get fullQueues() {
      return full.size;
    },
    async read(limit) {
      forget();
      const rows: DueRow[] = [];
      while (rows.length < limit) {
        await openHosts();
        const cursor = heap.first;
        if (!cursor) break;
        if (cursor.ahead.length === 0) {
          await readOn(cursor);
        } else if (roomOf(cursor.queue) <= 0) {
          heap.remove(cursor);
          stopped.add(cursor);
          full.add(cursor.queue);
        } else {
          const row = cursor.ahead.pop()!;
          rows.push(row);
          take(row.queue, 1);
          settle(cursor);
        }
      }
      return rows;
    },
    refuse({ queue }) {
      take(queue, -1);
      full.delete(queue);
      for (const cursor of stopped) if (cursor.queue === queue) return true;
      return false;
    },
    giveBack(rows) {
      for (const row of rows.toReversed()) {
        const cursor = cursors.get(row.host)!;
        cursor.ahead.push(row);
        take(row.queue, -1);
        settle(cursor);
      }
      for (const cursor of stopped) settle(cursor);
      stopped.clear();
    },
  };
}
