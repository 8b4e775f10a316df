import { open } from 'node:fs/promises';
import { onDisk, readFully } from '../scan/index.js';

/** A file of 64-bit numbers, a few for each row. */
export interface NumberFile {
  /** Adds a number. If this returns a promise, await the promise before the next call. */
  add(value: number): Promise<void> | undefined;
  /** Writes the rest of the numbers. */
  end(): Promise<void>;
  /** Yields all numbers in pieces. Each piece is valid only until the next one is read. */
  read(): AsyncGenerator<Float64Array>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PIECE = 2 ** 14;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the file throw them too */
export async function createNumberFile(path: string): Promise<NumberFile> {
  const file = await onDisk(path, () => open(path, 'w+'));
  const piece = new Float64Array(PIECE);
  const bytes = new Uint8Array(piece.buffer);
  let used = 0;
  const flush = async (): Promise<void> => {
    const size = used * 8;
    used = 0;
    await onDisk(path, () => file.writeFile(bytes.subarray(0, size)));
  };
  return {
    add(value) {
      piece[used++] = value;
      return used === PIECE ? flush() : undefined;
    },
    end: flush,
    async *read() {
      for (let position = 0; ;) {
        const filled = await readFully(path, file, bytes, position);
        if (filled === 0) return;
        position += filled;
        yield piece.subarray(0, filled / 8);
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
