/**
 * Where the pages are split for jobs that read every row in shards: the first key of each shard but the first. All shards of a run
 * must go by the same keys, or rows are missed and read twice; so who comes first notes them in table `meta`.
 */
import { createHash } from 'node:crypto';
import { hostKeyOfRow, rowsOfHost } from '../keys/host-key.js';
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { FIELD_COLUMNS, INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';
import type { Shard } from '../leases/shard.js';

/** The splits of a run. */
interface StoredSplits {
  /** What they are for, for people. */
  readonly name: string;
  /** In order; one less than there are shards. */
  readonly keys: readonly string[];
  /** About when a shard last began to go by them, in ms since the epoch. */
  readonly usedAt: number;
}

interface RangesOptions {
  readonly within?: readonly KeyRange[];
  readonly isByHost?: boolean;
  readonly unusedFor?: number;
}

/** Where the pages are split for shards. */
export type KeySplits = ReturnType<typeof createKeySplits>;

const COLUMN = INDEX_COLUMNS.keySplits;
const WHOLE_TABLE: readonly KeyRange[] = [{ start: '' }];
const STEP = 1000;
/** Keys that are kept for each shard, from half to all of them, while those of the table are counted. */
const SAMPLES = 64;
const codec = json<StoredSplits>(
  (value) => typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys),
);

function rowOf(name: string, count: number): string {
  return `splits-${createHash('sha256').update(name).digest('hex').slice(0, 32)}-${count}`;
}

export function createKeySplits(store: Store, exclusive: Exclusive) {
  /** Reads the splits of a run, and changes them while nobody else does. @param decide undefined leaves them so */
  function change(
    name: string,
    count: number,
    decide: (found: StoredSplits | undefined) => StoredSplits | undefined,
  ): Promise<StoredSplits | undefined> {
    const key = rowOf(name, count);
    return untilUnchanged(store, exclusive, async () => {
      const [row] = await store.get('meta', [key], [COLUMN]);
      const cell = row?.cells.get(COLUMN);
      const found = cell && codec.decode(cell);
      const decided = decide(found);
      if (!decided) return { done: found };
      const put = new Map([[COLUMN, codec.encode(decided)] as const]);
      const lost = await writeUnchanged(store, 'meta', [{ change: { key, clear: true, put }, version: row?.version }]);
      return lost.size > 0 ? 'lost' : { done: decided };
    });
  }

  return {
    /** Where the rows are split now for so many shards, one key less. Nothing is noted. */
    keys: (count: number): Promise<readonly string[]> => splitKeys(store, count, WHOLE_TABLE),

    /**
     * The rows of a shard, as the first shard of this run has split them: where the store keeps rows on several servers, at the
     * bounds of what a server has, so that each part is read from one place; else into parts with as many rows each, for which the
     * keys are read once. It reads no row where the splits are noted already.
     * @param name of the run: what all of its shards have in common
     * @param options.within the rows that are split; absent: all
     * @param options.isByHost all rows of a host are in one part
     * @param options.unusedFor milliseconds after which they are another run's, and made anew; absent: they stay for ever
     * @returns what of `within` is the shard's
     */
    async rangesOf(
      name: string,
      { index, count }: Shard,
      now: number,
      { within = WHOLE_TABLE, isByHost = false, unusedFor = Infinity }: RangesOptions = {},
    ): Promise<readonly KeyRange[]> {
      if (count === 1) return within;
      const isGood = (found: StoredSplits | undefined): found is StoredSplits =>
        found !== undefined && now - found.usedAt < unusedFor;
      const touch = (found: StoredSplits | undefined): StoredSplits | undefined =>
        isGood(found) && now - found.usedAt > unusedFor / 8 ? { ...found, usedAt: now } : undefined;
      let noted = await change(name, count, touch);
      if (!isGood(noted)) {
        const made = { name, keys: await splitKeys(store, count, within), usedAt: now };
        noted = (await change(name, count, (found) => (isGood(found) ? undefined : made))) ?? made;
      }
      const keys = isByHost ? noted.keys.map(firstOfHost) : noted.keys;
      return within.flatMap((range) => intersect(range, keys[index - 1] ?? '', keys[index]));
    },
  };
}

/** What of a range is between two keys, the second left out; nothing, or one range. */
function intersect({ start, end }: KeyRange, from: string, to: string | undefined): KeyRange[] {
  const first = from > start ? from : start;
  const last = to === undefined || (end !== undefined && end < to) ? end : to;
  if (last !== undefined && last <= first) return [];
  return [{ start: first, ...(last !== undefined && { end: last }) }];
}

/** The first key that a row of the same host can have; a key that is of no host lies between two. */
function firstOfHost(key: string): string {
  const host = hostKeyOfRow(key);
  return host !== '' && key.startsWith(`${host}:`) ? rowsOfHost(host).start : key;
}

/** Keys that split the rows of ranges into parts; some may be empty where there are few rows. */
async function splitKeys(store: Store, count: number, within: readonly KeyRange[]): Promise<string[]> {
  const isInside = (key: string): boolean =>
    within.some(({ start, end }) => key > start && (end === undefined || key < end));
  const bounds = (await store.splitKeys?.('webpage'))?.filter(isInside) ?? [];
  const keys = bounds.length + 1 < count ? await sampleKeys(store, count, within) : ['', ...bounds];
  const last = keys.at(-1) ?? '';
  return Array.from({ length: count - 1 }, (_, i) => keys[Math.floor(((i + 1) * keys.length) / count)] ?? last);
}

/** Every n-th key of the rows of ranges, n as small as memory allows. */
async function sampleKeys(store: Store, count: number, within: readonly KeyRange[]): Promise<string[]> {
  let samples: string[] = [];
  let every = 1;
  let rows = 0;
  for await (const step of scanSteps(store, 'webpage', [FIELD_COLUMNS.status], within, STEP)) {
    for (const { key } of step) if (rows++ % every === 0) samples.push(key);
    if (samples.length < SAMPLES * count) continue;
    samples = samples.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  return samples;
}
