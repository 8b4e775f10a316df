import { open } from 'node:fs/promises';
import { onDisk, readFully, writeFully } from './on-disk.js';

/** A file that is appended to in large writes. It can be read at any position. */
export type DiskFile = Awaited<ReturnType<typeof createDiskFile>>;

const CHUNK_BYTES = 2 ** 18;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the file throw them too */
export async function createDiskFile(path: string) {
  const file = await onDisk(path, () => open(path, 'w+'));
  const tail = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = 0;
  let written = 0;

  async function flush(): Promise<void> {
    await writeFully(path, file, tail.subarray(0, used), written);
    written += used;
    used = 0;
  }

  function put(bytes: Uint8Array | string): void {
    if (typeof bytes === 'string') used += tail.write(bytes, used, 'latin1');
    else {
      tail.set(bytes, used);
      used += bytes.length;
    }
  }

  async function flushAndPut(bytes: Uint8Array | string): Promise<void> {
    await flush();
    if (bytes.length <= CHUNK_BYTES) return put(bytes);
    await writeFully(path, file, typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, written);
    written += bytes.length;
  }

  return {
    path,
    /** Number of bytes, including those that are not on the disk yet. */
    get size(): number {
      return written + used;
    },
    /** Appends a copy of some bytes, or a string in Latin-1. If this returns a promise, await the promise before the next call. */
    append: (bytes: Uint8Array | string): Promise<void> | undefined =>
      used + bytes.length <= CHUNK_BYTES ? void put(bytes) : flushAndPut(bytes),
    /** Returns bytes from a position on, fewer at the end of the file. Several reads may run at the same time. */
    async read(position: number, length: number): Promise<Buffer> {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, written + used - position)));
      const onFile = Math.max(0, Math.min(bytes.length, written - position));
      // The tail is copied first: another call may write it meanwhile.
      tail.copy(bytes, onFile, Math.max(0, position - written), used);
      await readFully(path, file, bytes.subarray(0, onFile), position);
      return bytes;
    },
    flush,
    clear(): void {
      used = 0;
      written = 0;
    },
    [Symbol.asyncDispose]: (): Promise<void> => file.close(),
  };
}

/**
 * Yields the bytes of a file in chunks of one size, except the last one. Each chunk is valid only until the next one is read.
 * @throws CrawlError BAD_OUTPUT
 */
export async function* readChunks(path: string, { from = 0, bytes = CHUNK_BYTES } = {}): AsyncGenerator<Buffer> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const chunk = Buffer.from(new ArrayBuffer(bytes));
    for (let position = from; ;) {
      const filled = await readFully(path, file, chunk, position);
      if (filled === 0) return;
      position += filled;
      yield chunk.subarray(0, filled);
    }
  } finally {
    await file.close();
  }
}
