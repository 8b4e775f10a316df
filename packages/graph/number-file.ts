import { open } from 'node:fs/promises';
import { onDisk } from './sort/index.js';

/** Numbers of 64 bits in a file, a few for each row. */
export interface NumberFile {
  /** Wait for the promise where there is one. */
  add(value: number): Promise<void> | undefined;
  /** Writes what is left. */
  end(): Promise<void>;
  /** All of them, in pieces, each valid until the next is asked for. */
  read(): AsyncGenerator<Float64Array>;
  /** Closes the file. */
  [Symbol.asyncDispose](): Promise<void>;
}

const PIECE = 2 ** 14;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; so do its methods */
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
        let filled = 0;
        while (filled < bytes.length) {
          const at = filled;
          const { bytesRead } = await onDisk(path, () => file.read(bytes, at, bytes.length - at, position));
          if (bytesRead === 0) break;
          filled += bytesRead;
          position += bytesRead;
        }
        if (filled === 0) return;
        yield piece.subarray(0, filled / 8);
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
