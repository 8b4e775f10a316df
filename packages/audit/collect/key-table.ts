import { open } from 'node:fs/promises';
import { growingArray, onDisk, readFully } from '../../scan/index.js';

/** The row keys by row number, on disk. A row takes 8 bytes of memory. */
export interface KeyTable {
  /** Adds the key of the next row. If this returns a promise, await the promise before the next call. */
  add(key: string): Promise<unknown> | undefined;
  readonly length: number;
  /** Returns the key of a row. */
  get(row: number): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PIECE = 2 ** 18;
/** Number of bytes that are read at a time, because keys are often read in their order. */
const READ = 2 ** 13;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the table throw them too */
export async function createKeyTable(path: string): Promise<KeyTable> {
  const file = await onDisk(path, () => open(path, 'w+'));
  const starts = growingArray((length) => new Float64Array(length));
  const waiting: string[] = [];
  const state = { end: 0, unwritten: 0 };
  let window = { start: 0, bytes: Buffer.alloc(0) };
  let written: Promise<unknown> = Promise.resolve();
  const flush = (): Promise<unknown> => {
    const bytes = Buffer.from(waiting.splice(0).join(''), 'latin1');
    const at = state.end - state.unwritten;
    state.unwritten = 0;
    written = onDisk(path, () => file.write(bytes, 0, bytes.length, at));
    return written;
  };
  return {
    add(key) {
      starts.push(state.end);
      waiting.push(key);
      state.end += key.length;
      state.unwritten += key.length;
      return state.unwritten >= PIECE ? flush() : undefined;
    },
    get length() {
      return starts.length;
    },
    async get(row) {
      if (state.unwritten > 0) void flush();
      // Another call may have begun to write.
      await written;
      const all = starts.values();
      const start = all[row]!;
      const length = (row + 1 < all.length ? all[row + 1]! : state.end) - start;
      const { start: from, bytes } = window;
      if (start >= from && start + length <= from + bytes.length) {
        return bytes.toString('latin1', start - from, start - from + length);
      }
      const read = Buffer.allocUnsafe(Math.max(length, READ));
      const filled = await readFully(path, file, read, start);
      window = { start, bytes: read.subarray(0, filled) };
      return read.toString('latin1', 0, length);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
