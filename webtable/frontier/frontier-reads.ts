import type { HostKey } from '../keys/host-key.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store } from '../store.js';
import { scoreIn, type FrontierEntries, type FrontierEntry } from './frontier-entries.js';
import type { HostScore } from './frontier-heads.js';
import type { FrontierKeys } from './frontier-keys.js';

const COLUMNS = [INDEX_COLUMNS.frontierScore];
const STEP = 1000;
/** Number of rows in the next read of heads: 4 at first, then four times the number of the last read, up to 256. */
const growing = (before: number): number => Math.min(Math.max(4, 4 * before), 256);

/** The reads of the frontier. Entries may be stale, so callers compare them with their rows. */
export function createFrontierReads(
  store: Store,
  slots: Slots,
  keys: FrontierKeys,
  toEntries: FrontierEntries['read'],
) {
  async function* entriesIn(ranges: readonly KeyRange[]): AsyncGenerator<FrontierEntry[]> {
    for await (const rows of scanSteps(store, 'frontier', COLUMNS, ranges, STEP)) yield rows.flatMap(toEntries);
  }

  /** The parsed first key of a range; undefined if the range is empty. */
  async function firstIn(range: KeyRange) {
    const [row] = await readRange(store, 'frontier', COLUMNS, range, 1);
    return row && keys.parse(row.key);
  }

  async function* headsOf(slot: string): AsyncGenerator<HostScore> {
    for await (const rows of scanSteps(store, 'frontier', COLUMNS, [keys.heads(slot)], growing)) {
      for (const { key, cells } of rows) {
        const parsed = keys.parse(key);
        if (parsed.kind === 'head') yield { host: parsed.host, score: scoreIn(cells) ?? 0 };
      }
    }
  }

  return {
    /**
     * The heads of all hosts, best first. Heads with equal scores are in the order of their rows. After a crash a host may have several
     * heads, and a head may be too high.
     * @param ofSlots absent: all slots
     */
    async *heads(ofSlots: Iterable<string> = slots.all): AsyncGenerator<HostScore> {
      const nexts: { head: HostScore; slot: AsyncGenerator<HostScore> }[] = [];
      for (const slot of Array.from(ofSlots, headsOf)) {
        const next = await slot.next();
        if (!next.done) nexts.push({ head: next.value, slot });
      }
      while (nexts.length > 0) {
        // The number of slots is small, so a plain search for the best head is faster than a heap.
        const best = nexts.reduce((a, b) => (isBefore(b.head, a.head) ? b : a));
        yield best.head;
        const next = await best.slot.next();
        if (next.done) nexts.splice(nexts.indexOf(best), 1);
        else best.head = next.value;
      }
    },

    /**
     * The due rows of a host. Rows with the best score come first; equal scores are in order of the row key.
     * @param position the score of the host's head, or the key of the last entry that was read
     */
    async due(host: HostKey, position: number | string, limit: number): Promise<FrontierEntry[]> {
      return (await readRange(store, 'frontier', COLUMNS, keys.dueRows(host, position), limit)).flatMap(toEntries);
    },

    /**
     * Counts the due rows that no batch holds. For each row it reads one small entry.
     * @param limit the count stops at this number
     */
    async countDue(now: number, limit = Infinity): Promise<number> {
      let count = 0;
      for await (const entries of entriesIn(
        slots.all.flatMap((slot) => [keys.queues(slot), keys.timedUntil(slot, now)]),
      )) {
        count += entries.length;
        if (count >= limit) return limit;
      }
      return count;
    },

    /**
     * The entries of the rows that become due until a given time, in steps. After a promotion until this time, the queues would hold these
     * entries. But no entry is moved.
     * @param until the given time, in ms since the epoch
     */
    async *dueUntil(until: number): AsyncGenerator<FrontierEntry[]> {
      for (const slot of slots.all) {
        yield* entriesIn([keys.queues(slot)]);
        for await (const entries of entriesIn([keys.timedUntil(slot, until)])) {
          // If a move was killed, a row may have two entries.
          const queued = entries.map(({ score, rowKey }) => keys.due(score, rowKey));
          const found = await store.get('frontier', queued, COLUMNS);
          yield entries.filter((_, i) => !found[i]);
        }
      }
    },

    /**
     * Returns the earliest time at which a row becomes due, in ms since the epoch; undefined if there is no such row. Rows in a batch or a
     * queue are left out. It reads one entry of each slot.
     */
    async nextDueAt(): Promise<number | undefined> {
      let next: number | undefined;
      for (const slot of slots.all) {
        const first = await firstIn(keys.allTimed(slot));
        if (first?.kind === 'timed' && first.time < (next ?? Infinity)) next = first.time;
      }
      return next;
    },

    /** The rows of these slots that become due until a time and are not in a queue yet, in steps. The time is in ms since the epoch. */
    timedUntil: (time: number, ofSlots: Iterable<string> = slots.all): AsyncGenerator<FrontierEntry[]> =>
      entriesIn(Array.from(ofSlots, (slot) => keys.timedUntil(slot, time))),

    /** The rows of these slots that become due after a time, in ms since the epoch, in steps. */
    timedAfter: (time: number, ofSlots: Iterable<string> = slots.all): AsyncGenerator<FrontierEntry[]> =>
      entriesIn(Array.from(ofSlots, (slot) => keys.timedAfter(slot, time))),

    /** Every entry, in steps. */
    entries: (): AsyncGenerator<FrontierEntry[]> => entriesIn([{ start: '' }]),

    /** The causes of refusals that rows of these slots have. */
    async refusalCauses(ofSlots: Iterable<string> = slots.all): Promise<string[]> {
      const causes = new Set<string>();
      for (const slot of ofSlots) {
        for (let from = ''; ;) {
          const first = await firstIn(keys.refusedFrom(slot, from));
          if (first?.kind !== 'refused') break;
          causes.add(first.cause);
          from = `${first.cause}${FENCE}`;
        }
      }
      return [...causes];
    },

    /** The rows of these slots that were refused for a cause, in steps. */
    refused: (cause: string, ofSlots: Iterable<string> = slots.all): AsyncGenerator<FrontierEntry[]> =>
      entriesIn(Array.from(ofSlots, (slot) => keys.refusedBy(slot, cause))),
  };
}

function isBefore(a: HostScore, b: HostScore): boolean {
  return a.score !== b.score ? a.score > b.score : `${a.host}:` < `${b.host}:`;
}
