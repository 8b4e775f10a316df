/**
 * The progress of a batch, slot by slot, for work in shards. Each worker records its progress, so that all workers see the remaining work.
 * There is a row per batch and slot; the rows are removed when the batch is closed.
 */
import { FENCE, type Slots } from '../keys/partition.js';
import { json } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { changeEach } from '../write-unchanged.js';

/** The progress of one slot of a batch. A slot has no record until work on the slot has begun. */
export interface SlotProgress {
  /** Number of rows that generate selected; absent until generate has finished the slot. */
  readonly generated?: number;
  /** The first generate left the slot unfinished, and another generate released its rows. */
  readonly takenBack?: true;
  /** fetch has finished the slot. */
  readonly fetched?: true;
  /** The time limit of a fetch was reached. The remaining pages wait for a later batch, unless fetch is run again. */
  readonly timeUp?: true;
  /** Number of times that other slots added rows to this slot, or requested a robots.txt from it, since fetch last finished the slot. */
  readonly waiting?: number;
  /** parse has finished the slot. */
  readonly parsed?: true;
  /** updatedb has added the links of the slot's pages to the rows of the targets. */
  readonly linked?: true;
  /** updatedb has released the rows of the slot. */
  readonly released?: true;
  /** The rows of the slot are in the search index. */
  readonly indexed?: true;
}

/** A job that works on a batch slot by slot. */
export type BatchStep = 'generate' | 'fetch' | 'parse' | 'updatedb' | 'index';

/** The progress of a batch by slot; slots without a record are left out. */
export type BatchProgress = ReadonlyMap<string, SlotProgress>;

const codec = json<SlotProgress>((value) => typeof value === 'object' && value !== null);
const COLUMNS = [INDEX_COLUMNS.batchProgress];
const STEP = 1000;
/** Number of rows in the first read of {@link everyIn}. Each further read has twice as many. */
const FIRST_STEP = 16;
const keyOf = (batchId: string, slot: string): string => `p|${batchId}|${slot}`;

/** Whether fetch is done with a slot: all pages are fetched, or the time limit was reached. */
export function isFetched({ fetched, waiting, timeUp }: SlotProgress = {}): boolean {
  return timeUp === true || (fetched === true && waiting === undefined);
}

export function createBatchProgress(store: Store, slots: Slots, exclusive: Exclusive) {
  const decode = (row: StoredRow | undefined): SlotProgress | undefined => {
    const cell = row?.cells.get(INDEX_COLUMNS.batchProgress);
    return cell && codec.decode(cell);
  };
  const rangeOf = (batchId: string) => ({ start: `p|${batchId}|`, end: `p|${batchId}${FENCE}` });
  const slotOf = ({ key }: StoredRow): string => key.slice(key.lastIndexOf('|') + 1);
  const inRange = (batchId: string): Promise<StoredRow[]> =>
    readRange(store, 'batch', COLUMNS, rangeOf(batchId), slots.all.length);

  /** Whether a condition is true for each of these slots. The slots must be adjacent. */
  async function everyIn(
    batchId: string,
    adjacent: readonly string[],
    condition: (progress: SlotProgress, slot: string) => boolean,
  ): Promise<boolean> {
    for (let at = 0, length = FIRST_STEP; at < adjacent.length; at += length, length = Math.min(2 * length, STEP)) {
      const some = adjacent.slice(at, at + length);
      const range = { start: keyOf(batchId, some[0]!), end: after(keyOf(batchId, some.at(-1)!)) };
      const rows = await readRange(store, 'batch', COLUMNS, range, some.length);
      const isSo = (slot: string, i: number): boolean => {
        const row = rows[i];
        return row !== undefined && slotOf(row) === slot && condition(decode(row)!, slot);
      };
      if (!some.every(isSo)) return false;
    }
    return true;
  }

  async function every(
    batchId: string,
    condition: (progress: SlotProgress, slot: string) => boolean,
    firstSlot?: string,
  ): Promise<boolean> {
    const at = firstSlot === undefined ? 0 : Math.max(0, slots.all.indexOf(firstSlot));
    return (
      (await everyIn(batchId, slots.all.slice(at), condition)) &&
      (await everyIn(batchId, slots.all.slice(0, at), condition))
    );
  }

  return {
    /** @param ofSlots absent: all slots */
    async of(batchId: string, ofSlots?: Iterable<string>): Promise<BatchProgress> {
      if (!ofSlots) return new Map((await inRange(batchId)).map((row) => [slotOf(row), decode(row)!]));
      const asked = [...ofSlots];
      const keys = asked.map((slot) => keyOf(batchId, slot));
      const rows = await store.get('batch', keys, COLUMNS);
      return new Map(asked.flatMap((slot, i) => (rows[i] ? [[slot, decode(rows[i])!]] : [])));
    },

    /**
     * Whether every slot has a record and the condition is true for the record. The check stops at the first slot for which this is false,
     * so it stays cheap even if many workers run it at the same time. A worker that has finished its own slots should begin with the slots
     * of the next worker, because these are probably not done.
     * @param condition called once for each slot, up to the first for which it is false
     * @param firstSlot the slot to begin with; absent: the first slot of the table
     */
    every,

    /**
     * Changes the progress of slots. If another worker has changed a slot meanwhile, `decide` is called again.
     * @param decide gets the recorded progress, and returns the new one; undefined leaves the record unchanged
     */
    async change(
      batchId: string,
      ofSlots: Iterable<string>,
      decide: (progress: SlotProgress | undefined, slot: string) => SlotProgress | undefined,
    ): Promise<void> {
      const slotOf = new Map(Array.from(ofSlots, (slot) => [keyOf(batchId, slot), slot]));
      const rows = { table: 'batch', keys: [...slotOf.keys()], columns: COLUMNS } as const;
      await changeEach(store, exclusive, rows, (key, row) => {
        const decided = decide(decode(row), slotOf.get(key)!);
        return decided && { clear: true, put: new Map([[INDEX_COLUMNS.batchProgress, codec.encode(decided)]]) };
      });
    },

    /** Whether a step on an open or an updated batch has finished all slots. */
    isThrough(batchId: string, step: Exclude<BatchStep, 'generate' | 'updatedb'>): Promise<boolean> {
      return every(batchId, (progress) => {
        const { parsed, indexed } = progress;
        if (step === 'index') return indexed === true;
        return isFetched(progress) && (step === 'fetch' || parsed === true);
      });
    },

    /** The batches with recorded progress. */
    async batches(): Promise<readonly string[]> {
      const ids = new Set<string>();
      for await (const rows of scanSteps(store, 'batch', COLUMNS, [{ start: 'p|', end: `p${FENCE}` }], STEP)) {
        for (const { key } of rows) ids.add(key.split('|', 2)[1]!);
      }
      return [...ids];
    },

    async clear(batchId: string): Promise<void> {
      const rows = await inRange(batchId);
      if (rows.length > 0)
        await store.write(
          'batch',
          rows.map(({ key }) => ({ key, clear: true })),
        );
    },
  };
}
