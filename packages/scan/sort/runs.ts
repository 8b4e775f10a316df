import { open, rm, type FileHandle } from 'node:fs/promises';
import { onDisk } from '../on-disk.js';

/** Reads a run, a file of sorted bytes, from its beginning. All data is in one buffer, which {@link RunReader.fill} refills. */
export interface RunReader {
  /** The data that was read and is not processed yet. It is valid until the next `fill`. */
  readonly buffer: Buffer;
  /** Position of the next byte in `buffer`. */
  at: number;
  readonly end: number;
  /** Reads more data until `needed` bytes are available from `at` on. Returns false if the run ends before that. */
  fill(needed: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * @param size bytes of the buffer; the buffer grows for a larger record
 * @throws CrawlError BAD_OUTPUT; the methods of the reader throw it too
 */
export async function readRun(path: string, size: number): Promise<RunReader> {
  const file: FileHandle = await onDisk(path, () => open(path, 'r'));
  let buffer = Buffer.allocUnsafe(size);
  let end = 0;
  const reader: RunReader = {
    get buffer() {
      return buffer;
    },
    at: 0,
    get end() {
      return end;
    },
    async fill(needed) {
      const left = end - reader.at;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(needed);
        buffer.copy(larger, 0, reader.at, end);
        buffer = larger;
      } else {
        buffer.copyWithin(0, reader.at, end);
      }
      reader.at = 0;
      end = left;
      while (end < needed) {
        const { bytesRead } = await onDisk(path, () => file.read(buffer, end, buffer.length - end));
        if (bytesRead === 0) return false;
        end += bytesRead;
      }
      return true;
    },
    async close() {
      await file.close();
      await rm(path, { force: true });
    },
  };
  return reader;
}
