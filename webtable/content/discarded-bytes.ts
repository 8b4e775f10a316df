import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'discarded';
/** The count is written each time that this number of bytes was discarded. A kill can lose at most as many bytes from the count. */
const COUNT_EVERY = 16_000_000;

/**
 * Counts the bytes of records that no row points at, in the segments of a folder. The count may be too low. It is used only to decide when
 * a compaction is due; the compaction itself counts again.
 */
export function createDiscardedBytes(directory: string) {
  const path = join(directory, FILE);
  let uncounted = 0;

  async function read(): Promise<number> {
    const text = await readFile(path, 'latin1').catch(() => '');
    return /^\d{1,15}\n?$/.test(text) ? Number(text) : 0;
  }

  /** Replaces the count atomically. If the write fails, the count is too low, so the next compaction is later. */
  async function write(bytes: number): Promise<void> {
    try {
      await writeFile(`${path}.new`, `${bytes}\n`, { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch {
      await rm(`${path}.new`, { force: true }).catch(() => undefined);
    }
  }

  async function count(): Promise<void> {
    const bytes = uncounted;
    uncounted = 0;
    if (bytes > 0) await write((await read()) + bytes);
  }

  return {
    async add(bytes: number): Promise<void> {
      uncounted += bytes;
      if (uncounted >= COUNT_EVERY) await count();
    },
    /** Adds the number of bytes that this process has discarded to the number in the file. */
    count,
    /** The sum of all counted bytes. */
    async total(): Promise<number> {
      await count();
      return read();
    },
    /** Sets the count to zero. */
    async reset(): Promise<void> {
      uncounted = 0;
      await write(0);
    },
  };
}
