import type { Frontier, FrontierEntry, HostKey, HostScore } from '../../../webtable/index.js';
import { createHeap, type HeapItem } from '../../util/index.js';

/** The position of a row in the order of selection. */
interface Position {
  readonly score: number;
  readonly rowKey: string;
}

/** Whether a row is selected before another row: higher scores come first, and equal scores are in the order of row keys. */
export function isBefore(a: Position, b: Position): boolean {
  return a.score !== b.score ? a.score > b.score : a.rowKey < b.rowKey;
}

export interface DueRow extends FrontierEntry {
  readonly host: HostKey;
  /** The queue that `generate.maxCount` limits. */
  readonly queue: string;
}

/** Yields the due rows in the order in which a scan of the whole table would select them. */
export type DueRows = ReturnType<typeof createDueRows>;

interface DueRowsOptions {
  readonly frontier: Frontier;
  /** Maximum number of rows that are selected from one queue. Refused rows are not counted. */
  readonly maxPerQueue: number;
  /** The slots of the hosts whose rows are read. Absent: all slots. */
  readonly slots?: Iterable<string> | undefined;
  /** Returns the queue of a host. undefined: this host is skipped. null: this host and all later hosts are skipped. */
  readonly queueOf: (host: HostKey) => Promise<string | undefined | null>;
}

/** The state of the reads of one host. Its position (`score` and `rowKey`) is at its next row, or before it. */
interface Cursor extends HeapItem, Position {
  readonly host: HostKey;
  readonly queue: string;
  /** Rows that were read ahead. The next row is the last element. */
  readonly ahead: DueRow[];
  score: number;
  rowKey: string;
  /** The key of the entry after which the next read begins. undefined: there are no more entries. */
  after: string | undefined;
  readAhead: number;
}

/** Number of hosts that are opened at the same time. */
const HOSTS_AT_ONCE = 32;
const MIN_READ_AHEAD = 2;
const MAX_READ_AHEAD = 500;

/**
 * Reads the frontier in the order of selection. A host is opened when its head shows that its best row may be the next row to select.
 * More rows of a host are read only while its queue has room. Therefore hosts and rows that are not selected cost nothing. In memory are
 * the names of the opened hosts, the number of rows taken from each queue, and the rows that were read ahead.
 */
export function createDueRows({ frontier, maxPerQueue, slots, queueOf }: DueRowsOptions) {
  const heads = frontier.heads(slots);
  let head: (HostScore & Position) | undefined;
  let hasBegun = false;
  /** Whether no more hosts are opened, because `queueOf` has returned null. */
  let hasEnded = false;
  const opened = new Set<string>();
  /** The cursors that have more rows, and the cursors that ended in the last read. */
  const cursors = new Map<string, Cursor>();
  const heap = createHeap<Cursor>(isBefore);
  /** Number of rows that were read from a queue and not refused. */
  const taken = new Map<string, number>();
  /** Cursors that the last read stopped, because their queue has no room left. */
  const stopped = new Set<Cursor>();
  /** Cursors that have no more rows. */
  const ended = new Set<Cursor>();
  const full = new Set<string>();

  const roomOf = (queue: string): number => maxPerQueue - (taken.get(queue) ?? 0);
  const take = (queue: string, n: number): void => void taken.set(queue, (taken.get(queue) ?? 0) + n);

  async function nextHead(): Promise<void> {
    const next = await heads.next();
    head = next.done ? undefined : { ...next.value, rowKey: `${next.value.host}:` };
  }

  /** Opens every host that may have the next row to select. */
  async function openHosts(): Promise<void> {
    if (!hasBegun) await nextHead();
    hasBegun = true;
    while (head && !(heap.first && isBefore(heap.first, head))) {
      const some: (HostScore & Position)[] = [];
      for (; head && some.length < HOSTS_AT_ONCE && !(heap.first && isBefore(heap.first, head)); await nextHead()) {
        if (opened.has(head.host)) continue;
        opened.add(head.host);
        some.push(head);
      }
      await Promise.all(some.map(open));
      if (hasEnded) head = undefined;
    }
  }

  async function open({ host, score, rowKey }: HostScore & Position): Promise<void> {
    const queue = await queueOf(host);
    if (queue === null) hasEnded = true;
    if (queue === undefined || queue === null) return;
    const cursor: Cursor = { host, queue, ahead: [], score, rowKey, after: '', readAhead: MIN_READ_AHEAD, at: -1 };
    cursors.set(host, cursor);
    await readOn(cursor);
  }

  /**
   * Reads more rows of a host. It reads at most one row more than its queue has room for. This row shows that the queue has more rows
   * than room.
   */
  async function readOn(cursor: Cursor): Promise<void> {
    const limit = Math.min(cursor.readAhead, Math.max(0, roomOf(cursor.queue)) + 1);
    cursor.readAhead = Math.min(cursor.readAhead * 4, MAX_READ_AHEAD);
    const entries = await frontier.due(cursor.host, cursor.after || cursor.score, limit);
    cursor.after = entries.length < limit ? undefined : entries.at(-1)?.entryKey;
    const { host, queue } = cursor;
    // The fields are listed one by one. With a spread, V8 would give each object its own hidden class, which takes more memory than the
    // values.
    for (const { entryKey, rowKey, score, at } of entries.reverse()) {
      cursor.ahead.push({ entryKey, rowKey, score, at, host, queue });
    }
    settle(cursor);
  }

  /** Moves a cursor to its next row. A cursor without more rows has ended. */
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

  /** Removes the cursors that have ended. After that, rows of the last read cannot be refused or requeued. */
  function forget(): void {
    for (const cursor of [...stopped, ...ended]) if (cursor.at < 0) cursors.delete(cursor.host);
    stopped.clear();
    ended.clear();
  }

  return {
    /** Number of queues that had more due rows than room. Only rows that were read are considered. */
    get fullQueues() {
      return full.size;
    },
    /**
     * Returns the next rows, best score first. Rows with equal scores are in the order of their keys. It returns no more rows of a queue
     * than the queue has room for.
     */
    async read(limit: number): Promise<DueRow[]> {
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
    /**
     * Reports that a row of the last read is not selected. So its queue has room for another row.
     * @returns true if that other row may come before the rest of the last read. If so, the caller has to requeue the rest.
     */
    refuse({ queue }: DueRow): boolean {
      take(queue, -1);
      full.delete(queue);
      for (const cursor of stopped) if (cursor.queue === queue) return true;
      return false;
    },
    /** Puts the rest of the last read back, so that later reads return these rows again. */
    requeue(rows: readonly DueRow[]): void {
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
