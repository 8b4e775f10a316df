import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHeap, createTimeSlice, inTimeSlices } from '../../util/index.js';
import { sortWords } from './sort-words.js';
import { createDiskFile } from '../disk-file.js';
import { readRun, type RunReader } from './runs.js';

const PAIR = 8;
/** Including the memory for sorting. */
const BYTES_PER_PAIR = 12;
const MEMORY = 64 * 2 ** 20;
const INITIAL_PAIRS = 2 ** 14;
const PIECE = 2 ** 15;
const MIN_READ_BYTES = 2 ** 12;

/**
 * Makes a sorter for any number of pairs of numbers from 0 to 2^32 - 1, added in any order, in bounded memory. It uses the native sort of
 * 64-bit numbers, and merges runs on disk. Other work can run between its steps.
 * @param folder an existing folder for the runs, best from `withWorkFolder`
 * @param memory bytes for pairs, at least 1 MiB
 * @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the sorter throw them too
 */
export function createPairSorter(folder: string, memory = MEMORY) {
  const room = Math.max(2 ** 20, memory);
  const maxPairs = Math.floor(room / BYTES_PER_PAIR);
  let words = new BigUint64Array(Math.min(maxPairs, INITIAL_PAIRS));
  let halves = new Uint32Array(words.buffer);
  const name = `pairs-${randomUUID()}`;
  const runs: string[] = [];
  const timeSlice = createTimeSlice();
  let used = 0;

  function put(first: number, second: number): void {
    halves[used++] = second;
    halves[used++] = first;
  }

  function grow(): void {
    const larger = new BigUint64Array(Math.min(maxPairs, 2 * words.length));
    larger.set(words);
    words = larger;
    halves = new Uint32Array(words.buffer);
  }

  async function spill(): Promise<void> {
    await inTimeSlices(sortWords(words.subarray(0, used / 2)), timeSlice);
    await using run = await createDiskFile(join(folder, `${name}-${runs.length}.run`));
    await run.append(Buffer.from(words.buffer, 0, used * 4));
    await run.flush();
    runs.push(run.path);
    used = 0;
  }

  async function* inMemory(): AsyncGenerator<Uint32Array> {
    await inTimeSlices(sortWords(words.subarray(0, used / 2)), timeSlice);
    for (let at = 0; at < used; at += PIECE) yield halves.subarray(at, Math.min(used, at + PIECE));
  }

  async function* merged(): AsyncGenerator<Uint32Array> {
    if (used > 0) await spill();
    yield* mergePairs(runs, Math.max(MIN_READ_BYTES, Math.floor(room / runs.length / PAIR) * PAIR));
  }

  return {
    /** Adds a pair. If this returns a promise, a run is being written: await the promise before the next call. */
    add(first: number, second: number): Promise<void> | undefined {
      if (used === halves.length && words.length < maxPairs) grow();
      if (used < halves.length) return void put(first, second);
      return spill().then(() => put(first, second));
    },
    /**
     * Yields all pairs, sorted by their first and then by their second number, including repeated pairs. A piece has the form second, first,
     * second, first …, and is valid only until the next one is read. Call `sorted` only once, and add nothing after it.
     */
    async *sorted(): AsyncGenerator<Uint32Array> {
      for await (const piece of runs.length === 0 ? inMemory() : merged()) {
        yield piece;
        while (timeSlice.isOver) await timeSlice.next();
      }
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

async function* mergePairs(runs: readonly string[], size: number): AsyncGenerator<Uint32Array> {
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
