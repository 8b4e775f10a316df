import { randomUUID } from 'node:crypto';
import { createHeap } from '../../util/index.js';
import { createRun, readRun, type Run, type RunReader } from './runs.js';

/** Takes pairs of numbers from 0 to 2^32 - 1 in any order. */
export interface PairSorter {
  /** Wait for the promise where there is one: then a run is being written. */
  add(first: number, second: number): Promise<void> | undefined;
  /**
   * All pairs by their first, then by their second number, the same pair as often as it was added. In pieces of second,
   * first, second, first …, each valid until the next is asked for. It is called once; nothing is added after.
   */
  sorted(): AsyncGenerator<Uint32Array>;
}

const PAIR = 8;
const MEMORY = 64 * 2 ** 20;
const PIECE = 2 ** 15;
/** The smallest read of a run. */
const READ = 2 ** 12;

/**
 * Sorts any number of pairs in bounded memory, by the native sort of 64-bit numbers and runs on the disk that are merged.
 * @param folder an existing one for the runs, best of `withWorkFolder`
 * @param memory bytes for pairs, 1 MiB at least
 * @throws CrawlError STORE_FULL, BAD_OUTPUT; so do its methods
 */
export function createPairSorter(folder: string, memory = MEMORY): PairSorter {
  const room = Math.max(2 ** 20, memory);
  const words = new BigUint64Array(Math.floor(room / PAIR));
  const halves = new Uint32Array(words.buffer);
  const name = `pairs-${randomUUID()}`;
  const runs: Run[] = [];
  let used = 0;

  function put(first: number, second: number): void {
    halves[used++] = second;
    halves[used++] = first;
  }

  async function spill(): Promise<void> {
    words.subarray(0, used / 2).sort();
    const writer = await createRun(folder, `${name}-${runs.length}.run`);
    await writer.write(Buffer.from(words.buffer, 0, used * 4));
    runs.push(await writer.end());
    used = 0;
  }

  return {
    add(first, second) {
      if (used < halves.length) return void put(first, second);
      return spill().then(() => put(first, second));
    },
    async *sorted() {
      if (runs.length === 0) {
        words.subarray(0, used / 2).sort();
        for (let at = 0; at < used; at += PIECE) yield halves.subarray(at, Math.min(used, at + PIECE));
        return;
      }
      if (used > 0) await spill();
      yield* mergePairs(runs, Math.max(READ, Math.floor(room / runs.length / PAIR) * PAIR));
    },
  };
}

interface Cursor {
  at: number;
  readonly reader: RunReader;
  first: number;
  second: number;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.first === b.first ? a.second < b.second : a.first < b.first;
}

async function* mergePairs(runs: readonly Run[], size: number): AsyncGenerator<Uint32Array> {
  const heap = createHeap<Cursor>(isBefore);
  const readers: RunReader[] = [];
  try {
    for (const run of runs) {
      const reader = await readRun(run, size);
      readers.push(reader);
      const cursor = { at: -1, reader, first: 0, second: 0 };
      if (stepIn(cursor) || (await stepOver(cursor))) heap.put(cursor);
    }
    const piece = new Uint32Array(PIECE);
    let used = 0;
    for (let cursor = heap.first; cursor; cursor = heap.first) {
      piece[used++] = cursor.second;
      piece[used++] = cursor.first;
      if (used === PIECE) {
        yield piece;
        used = 0;
      }
      if (stepIn(cursor) || (await stepOver(cursor))) heap.put(cursor);
      else heap.remove(cursor);
    }
    if (used > 0) yield piece.subarray(0, used);
  } finally {
    for (const reader of readers) await reader.close();
  }
}

function stepIn(cursor: Cursor): boolean {
  const { reader } = cursor;
  if (reader.at + PAIR > reader.end) return false;
  cursor.second = reader.buffer.readUInt32LE(reader.at);
  cursor.first = reader.buffer.readUInt32LE(reader.at + 4);
  reader.at += PAIR;
  return true;
}

async function stepOver(cursor: Cursor): Promise<boolean> {
  return (await cursor.reader.fill(PAIR)) && stepIn(cursor);
}
