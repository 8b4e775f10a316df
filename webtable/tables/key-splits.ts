/**
 * The keys at which the pages are split for an export in shards: the first key of each shard except shard 0. All shards of an export must
 * use the same keys; otherwise rows would be missed or read twice. So the first shard stores the keys in table `meta`.
 */
import { createHash } from 'node:crypto';
import { hostKeyOfRow, rowsOfHost } from '../keys/host-key.js';
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { FIELD_COLUMNS, INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { changeEach } from '../write-unchanged.js';
import type { Shard } from '../leases/shard.js';

/** The splits of an export. */
interface StoredSplits {
  /** The name of the export, for people. */
  readonly name: string;
  /** The keys, in order: one key fewer than there are shards. */
  readonly keys: readonly string[];
}

interface RangesOptions {
  readonly within?: readonly KeyRange[];
  readonly isByHost?: boolean;
}

/** The keys at which the pages are split for shards. */
export type KeySplits = ReturnType<typeof createKeySplits>;

const COLUMN = INDEX_COLUMNS.keySplits;
const WHOLE_TABLE: readonly KeyRange[] = [{ start: '' }];
const STEP = 1000;
/** Maximum number of sample keys for each shard. When it is reached, every second sample is dropped. */
const SAMPLES = 64;
const codec = json<StoredSplits>(
  (value) => typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys),
);

function rowOf(name: string, count: number): string {
  return `splits-${createHash('sha256').update(name).digest('hex').slice(0, 32)}-${count}`;
}

export function createKeySplits(store: Store, exclusive: Exclusive) {
  /** Returns the stored splits. If no splits are stored, it stores and returns `made`. */
  async function noted(name: string, count: number, made?: StoredSplits): Promise<StoredSplits | undefined> {
    let after: StoredSplits | undefined;
    const row = { table: 'meta', keys: [rowOf(name, count)], columns: [COLUMN] } as const;
    await changeEach(store, exclusive, row, (_, stored) => {
      const cell = stored?.cells.get(COLUMN);
      after = cell ? codec.decode(cell) : made;
      return cell || !made ? undefined : { clear: true, put: new Map([[COLUMN, codec.encode(made)]]) };
    });
    return after;
  }

  return {
    /**
     * Returns the rows of a shard, by the splits that the first shard of this export has stored. The first shard computes the splits. If
     * the rows are on several servers, the splits are the bounds between servers, so that each part is read from one server. Otherwise the
     * first shard reads all keys once, so that all parts have about the same number of rows.
     * @param name of the export, common to all of its shards
     * @param options.within the rows to split; absent: all
     * @param options.isByHost keeps all rows of a host in one part
     * @returns the part of `within` that belongs to the shard
     */
    async rangesOf(
      name: string,
      { index, count }: Shard,
      { within = WHOLE_TABLE, isByHost = false }: RangesOptions = {},
    ): Promise<readonly KeyRange[]> {
      if (count === 1) return within;
      const found =
        (await noted(name, count)) ??
        (await noted(name, count, { name, keys: await splitKeys(store, count, within) }))!;
      const keys = isByHost ? found.keys.map(firstOfHost) : found.keys;
      return within.flatMap((range) => intersect(range, keys[index - 1] ?? '', keys[index]));
    },
  };
}

/** Returns the part of a range from one key (included) to another (excluded): a list of one range, or an empty list. */
function intersect({ start, end }: KeyRange, from: string, to: string | undefined): KeyRange[] {
  const first = from > start ? from : start;
  const last = to === undefined || (end !== undefined && end < to) ? end : to;
  if (last !== undefined && last <= first) return [];
  return [{ start: first, ...(last !== undefined && { end: last }) }];
}

/** Returns the first key that a row of the same host can have. If the key belongs to no host, it lies between two hosts and is returned. */
function firstOfHost(key: string): string {
  const host = hostKeyOfRow(key);
  return host !== '' && key.startsWith(`${host}:`) ? rowsOfHost(host).start : key;
}

/** Returns keys that split the rows into parts. If there are few rows, some parts may be empty. */
async function splitKeys(store: Store, count: number, within: readonly KeyRange[]): Promise<string[]> {
  const isInside = (key: string): boolean =>
    within.some(({ start, end }) => key > start && (end === undefined || key < end));
  const bounds = (await store.splitKeys?.('webpage'))?.filter(isInside) ?? [];
  const keys = bounds.length + 1 < count ? await sampleKeys(store, count, within) : ['', ...bounds];
  const last = keys.at(-1) ?? '';
  return Array.from({ length: count - 1 }, (_, i) => keys[Math.floor(((i + 1) * keys.length) / count)] ?? last);
}

/** Returns every n-th key of the rows, with the smallest n for which the keys fit into memory. */
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
