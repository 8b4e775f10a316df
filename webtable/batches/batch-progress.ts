/**
 * How far the work on a batch is, slot by slot, for work in shards: each notes what it has done, and so knows what of the whole is
 * left. A row per batch and slot; they are removed when the batch is closed.
 */
import { FENCE, type Slots } from '../keys/partition.js';
import { json } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { untilUnchanged, writeUnchanged, type VersionedChange } from '../write-unchanged.js';

/** How far one slot of a batch is. Nothing is noted of a slot on which nobody has worked. */
export interface SlotProgress {
  /** Rows that generate selected; absent while it is not through. */
  readonly generated?: number;
  /** What another generate found of a batch that was left unfinished is taken back. */
  readonly takenBack?: true;
  /** fetch is through. */
  readonly fetched?: true;
  /** The time of a fetch was over: what is left of its pages is left for a later batch, unless fetch is run again. */
  readonly timeUp?: true;
  /** How often others had rows join, or asked for a robots.txt, since fetch was last through. */
  readonly waiting?: number;
  /** parse is through. */
  readonly parsed?: true;
  /** The links of its pages are added to the rows that they lead to. */
  readonly linked?: true;
  /** Its rows are released. */
  readonly released?: true;
  /** Its rows are in the search index. */
  readonly indexed?: true;
}

/** A job that works on a batch slot by slot. */
export type BatchStep = 'generate' | 'fetch' | 'parse' | 'updatedb' | 'index';

/** How far the slots of a batch are; a slot of which nothing is noted is not in it. */
export type Progress = ReadonlyMap<string, SlotProgress>;

const codec = json<SlotProgress>((value) => typeof value === 'object' && value !== null);
const COLUMNS = [INDEX_COLUMNS.batchProgress];
const STEP = 1000;
/** Rows of the first look for one that is not there; each further look is twice as long. */
const FIRST_LOOK = 16;
const keyOf = (batchId: string, slot: string): string => `p|${batchId}|${slot}`;

/** Whether nothing more is to be fetched of a slot: all of it is, or its time was over. */
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

  /** Whether something is so of each of these slots, which follow one another. */
  async function everyIn(
    batchId: string,
    of: readonly string[],
    is: (progress: SlotProgress, slot: string) => boolean,
  ): Promise<boolean> {
    for (let at = 0, look = FIRST_LOOK; at < of.length; at += look, look = Math.min(2 * look, STEP)) {
      const some = of.slice(at, at + look);
      const range = { start: keyOf(batchId, some[0]!), end: after(keyOf(batchId, some.at(-1)!)) };
      const rows = await readRange(store, 'batch', COLUMNS, range, some.length);
      const isSo = (slot: string, i: number): boolean => {
        const row = rows[i];
        return row !== undefined && slotOf(row) === slot && is(decode(row)!, slot);
      };
      if (!some.every(isSo)) return false;
    }
    return true;
  }

  async function every(
    batchId: string,
    is: (progress: SlotProgress, slot: string) => boolean,
    from?: string,
  ): Promise<boolean> {
    const at = from === undefined ? 0 : Math.max(0, slots.all.indexOf(from));
    return (await everyIn(batchId, slots.all.slice(at), is)) && (await everyIn(batchId, slots.all.slice(0, at), is));
  }

  return {
    /** @param of the slots; absent: all */
    async of(batchId: string, of?: Iterable<string>): Promise<Progress> {
      if (!of) return new Map((await inRange(batchId)).map((row) => [slotOf(row), decode(row)!]));
      const asked = [...of];
      const keys = asked.map((slot) => keyOf(batchId, slot));
      const rows = await store.get('batch', keys, COLUMNS);
      return new Map(asked.flatMap((slot, i) => (rows[i] ? [[slot, decode(rows[i])!]] : [])));
    },

    /**
     * Whether something is so of all slots, and noted of all. It is read until the first of which it is not, so that many workers may
     * ask: whoever comes to its end looks at the slots of the next worker first, which mostly has not.
     * @param is asked once of each slot, as far as it is so of all before it
     * @param from the slot to begin with; absent: the first
     */
    every,

    /**
     * Changes how far slots are; where somebody else has in between, it is decided on anew.
     * @param decide by what is noted; undefined leaves it so
     */
    async change(
      batchId: string,
      of: Iterable<string>,
      decide: (progress: SlotProgress | undefined, slot: string) => SlotProgress | undefined,
    ): Promise<void> {
      let left = [...of];
      await untilUnchanged(store, exclusive, async () => {
        const rows = await store.get(
          'batch',
          left.map((slot) => keyOf(batchId, slot)),
          COLUMNS,
        );
        const changes: VersionedChange[] = [];
        for (const [i, slot] of left.entries()) {
          const decided = decide(decode(rows[i]), slot);
          if (!decided) continue;
          const put = new Map([[INDEX_COLUMNS.batchProgress, codec.encode(decided)] as const]);
          changes.push({ change: { key: keyOf(batchId, slot), clear: true, put }, version: rows[i]?.version });
        }
        const lost = await writeUnchanged(store, 'batch', changes);
        left = left.filter((slot) => lost.has(keyOf(batchId, slot)));
        return left.length > 0 ? 'lost' : { done: undefined };
      });
    },

    /** Whether a step that works on an open or an updated batch is through with all slots. */
    isThrough(batchId: string, step: Exclude<BatchStep, 'generate' | 'updatedb'>): Promise<boolean> {
      return every(batchId, (progress) => {
        const { parsed, indexed } = progress;
        if (step === 'index') return indexed === true;
        return isFetched(progress) && (step === 'fetch' || parsed === true);
      });
    },

    /** The batches of which something is noted. */
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
