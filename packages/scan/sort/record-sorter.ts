import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHeap, createTimeSlice, inTimeSlices } from '../../util/index.js';
import { MAX_RECORDS, orderOf } from './arena-order.js';
import { createDiskFile, type DiskFile } from '../disk-file.js';
import { readRun, type RunReader } from './runs.js';

export interface SortOptions {
  /** An existing folder for records that do not fit into memory, best one from `withWorkFolder`. */
  readonly folder: string;
  /** Bytes of memory for records, including the overhead of each record; at least 1 MiB. Default: 64 MiB. */
  readonly memory?: number;
  /** Size of every record in bytes, if all have the same size; then no lengths are stored. Absent: records have any size below 4 GiB. */
  readonly recordBytes?: number;
}

/** Sorts records by their bytes. They may be added in any order. */
export type RecordSorter = ReturnType<typeof createRecordSorter>;

const MEMORY = 64 * 2 ** 20;
const FAN_IN = 64;
const HEAD = 4;
/** Overhead of a record in bytes: its end, its position in the order, and its word; plus half of this for sorting. */
const OVERHEAD_BYTES = 24;
const GROUP = 1000;

/**
 * Makes a sorter for any number of records in bounded memory. It writes sorted runs to disk and merges them. Other work can run between its
 * steps.
 * @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the sorter throw them too
 */
export function createRecordSorter({ folder, memory = MEMORY, recordBytes }: SortOptions) {
  const room = Math.max(2 ** 20, memory);
  const size = recordBytes === undefined ? Buffer.alloc(HEAD) : undefined;
  const most = Math.min(MAX_RECORDS, Math.ceil(room / (OVERHEAD_BYTES + (recordBytes ?? 8))));
  const name = `sort-${randomUUID()}`;
  let bytes = Buffer.allocUnsafe(Math.min(room, 2 ** 20));
  let ends = new Uint32Array(Math.min(most, 2 ** 14));
  let count = 0;
  let used = 0;
  const runs: string[] = [];
  let made = 0;
  const timeSlice = createTimeSlice();

  const begin = () => createDiskFile(join(folder, `${name}-${made++}.run`));

  async function end(run: DiskFile): Promise<void> {
    await run.flush();
    runs.push(run.path);
  }

  function put(record: Uint8Array): void {
    if (used + record.length > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(used + record.length, Math.min(room, 2 * bytes.length)));
      bytes.copy(larger, 0, 0, used);
      bytes = larger;
    }
    if (count === ends.length) {
      const longer = new Uint32Array(Math.min(most, 2 * count));
      longer.set(ends);
      ends = longer;
    }
    bytes.set(record, used);
    used += record.length;
    ends[count++] = used;
  }

  async function spill(): Promise<void> {
    const order = await inTimeSlices(orderOf({ bytes, ends, count }), timeSlice);
    await using run = await begin();
    for (const record of order) {
      const wait = appendTo(run, bytes.subarray(record === 0 ? 0 : ends[record - 1], ends[record]), size);
      if (wait) await wait;
    }
    await end(run);
    count = 0;
    used = 0;
  }

  async function* inMemory(): AsyncGenerator<readonly Buffer[]> {
    const order = await inTimeSlices(orderOf({ bytes, ends, count }), timeSlice);
    for (let at = 0; at < order.length; at += GROUP) {
      yield Array.from(order.subarray(at, at + GROUP), (record) =>
        bytes.subarray(record === 0 ? 0 : ends[record - 1], ends[record]),
      );
    }
  }

  async function* merged(): AsyncGenerator<readonly Buffer[]> {
    if (count > 0) await spill();
    bytes = Buffer.alloc(0);
    ends = new Uint32Array(0);
    while (runs.length > FAN_IN) {
      await using run = await begin();
      for await (const group of mergeRuns(runs.splice(0, FAN_IN), room, recordBytes)) {
        for (const record of group) await appendTo(run, record, size);
      }
      await end(run);
    }
    yield* mergeRuns(runs, room, recordBytes);
  }

  /**
   * Yields all records in byte order, as `sorted` does, in groups of one or more, which costs less per record. A group is valid only until the
   * next one is read.
   */
  async function* groups(): AsyncGenerator<readonly Buffer[]> {
    for await (const group of runs.length === 0 ? inMemory() : merged()) {
      yield group;
      while (timeSlice.isOver) await timeSlice.next();
    }
  }

  return {
    /** Adds a copy of a record. If this returns a promise, a run is being written: await the promise before the next call. */
    add(record: Uint8Array): Promise<void> | undefined {
      const full = count > 0 && (count === most || used + record.length + count * OVERHEAD_BYTES > room);
      if (!full) return void put(record);
      return spill().then(() => put(record));
    },
    groups,
    /**
     * Yields all records in byte order. Equal records are in the order of their addition. Each record is a view that is valid only until the
     * next one is read. Call `sorted` or `groups` only once, and add nothing after it.
     */
    async *sorted(): AsyncGenerator<Buffer> {
      for await (const group of groups()) yield* group;
    },
  };
}

/** Appends a record to a run. The size of the record comes first, unless all records have one size. */
function appendTo(run: DiskFile, record: Uint8Array, size: Buffer | undefined): Promise<void> | undefined {
  if (!size) return run.append(record);
  size.writeUInt32LE(record.length);
  const wait = run.append(size);
  return wait ? wait.then(() => run.append(record)) : run.append(record);
}

/** A run that is being merged, and its present record. */
interface Cursor {
  at: number;
  /** Number of the run. Among equal records, the record of the run with the lowest number comes first. */
  readonly run: number;
  readonly reader: RunReader;
  start: number;
  size: number;
  /** The first six bytes of the record. */
  word: number;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  if (a.word !== b.word) return a.word < b.word;
  const order = a.reader.buffer.compare(b.reader.buffer, b.start, b.start + b.size, a.start, a.start + a.size);
  return order === 0 ? a.run < b.run : order < 0;
}

async function* mergeRuns(
  runs: readonly string[],
  memory: number,
  recordBytes: number | undefined,
): AsyncGenerator<readonly Buffer[]> {
  const size = Math.max(2 ** 14, Math.floor(memory / 2 / runs.length));
  const cursors: Cursor[] = [];
  const heap = createHeap<Cursor>(isBefore);
  const head = recordBytes === undefined ? HEAD : 0;
  try {
    for (const [run, path] of runs.entries()) {
      const reader = await readRun(path, size);
      const cursor = { at: -1, run, reader, start: 0, size: 0, word: 0 };
      cursors.push(cursor);
      if (stepIn(cursor, recordBytes) || (await stepOver(cursor, head, recordBytes))) heap.put(cursor);
    }
    let out = Buffer.allocUnsafe(2 ** 16);
    let used = 0;
    let group: Buffer[] = [];
    for (let cursor = heap.first; cursor; cursor = heap.first) {
      if (group.length === GROUP || used + cursor.size > out.length) {
        if (group.length > 0) yield group;
        group = [];
        used = 0;
        if (cursor.size > out.length) out = Buffer.allocUnsafe(cursor.size);
      }
      cursor.reader.buffer.copy(out, used, cursor.start, cursor.start + cursor.size);
      group.push(out.subarray(used, (used += cursor.size)));
      if (stepIn(cursor, recordBytes) || (await stepOver(cursor, head, recordBytes))) heap.put(cursor);
      else heap.remove(cursor);
    }
    if (group.length > 0) yield group;
  } finally {
    for (const { reader } of cursors) await reader.close();
  }
}

/** Moves to the next record if it is in memory. Returns false if it is not. */
function stepIn(cursor: Cursor, recordBytes: number | undefined): boolean {
  const { reader } = cursor;
  const { buffer, at, end } = reader;
  if (recordBytes === undefined) {
    if (at + HEAD > end) return false;
    const size = buffer.readUInt32LE(at);
    if (at + HEAD + size > end) return false;
    cursor.start = at + HEAD;
    cursor.size = size;
  } else {
    if (at + recordBytes > end) return false;
    cursor.start = at;
    cursor.size = recordBytes;
  }
  reader.at = cursor.start + cursor.size;
  cursor.word = wordAt(buffer, cursor.start, cursor.size);
  return true;
}

/** Reads more data and moves to the next record. Returns false at the end of the run. */
async function stepOver(cursor: Cursor, head: number, recordBytes: number | undefined): Promise<boolean> {
  const { reader } = cursor;
  if (!(await reader.fill(head + (recordBytes ?? 0) || 1))) return false;
  if (recordBytes === undefined) await reader.fill(HEAD + reader.buffer.readUInt32LE(reader.at));
  return stepIn(cursor, recordBytes);
}

/** Returns the first six bytes of a record as a number. A shorter record is padded with zeros, so records with equal numbers may differ. */
function wordAt(buffer: Buffer, start: number, size: number): number {
  if (size >= 6) return buffer.readUIntBE(start, 6);
  return size === 0 ? 0 : buffer.readUIntBE(start, size) * 2 ** (8 * (6 - size));
}
