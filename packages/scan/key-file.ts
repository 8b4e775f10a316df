import { open } from 'node:fs/promises';
import { onDisk } from './on-disk.js';

/** Size of a piece in bytes. A line is one key, because keys are printable ASCII. */
const PIECE = 2 ** 18;

interface KeyWriter {
  /** Adds a key. If this returns a promise, await the promise before the next call. */
  add(key: string): Promise<void> | undefined;
  /** Writes the rest and closes the file. */
  end(): Promise<void>;
  /** Closes the file, even if it is not complete. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the writer throw them too */
export async function createKeyFile(path: string): Promise<KeyWriter> {
  const file = await onDisk(path, () => open(path, 'w'));
  let waiting = '';
  const flush = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    await onDisk(path, () => file.writeFile(text, 'latin1'));
  };
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  return {
    add(key) {
      waiting += `${key}\n`;
      return waiting.length >= PIECE ? flush() : undefined;
    },
    async end() {
      await flush();
      await close();
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Yields the keys of a file in their order, in groups. @throws CrawlError BAD_OUTPUT */
export async function* readKeys(path: string): AsyncGenerator<readonly string[]> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const bytes = Buffer.allocUnsafe(PIECE);
    let left = '';
    for (;;) {
      const { bytesRead } = await onDisk(path, () => file.read(bytes, 0, bytes.length));
      if (bytesRead === 0) return;
      const lines = (left + bytes.toString('latin1', 0, bytesRead)).split('\n');
      left = lines.pop()!;
      if (lines.length > 0) yield lines;
    }
  } finally {
    await file.close();
  }
}
