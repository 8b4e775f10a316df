import { createHash, type Hash } from 'node:crypto';
import { dirname } from 'node:path';
import { onDisk } from '../../graph/index.js';
import { closeOnError, type TargetFiles } from './files.js';
import type { OpenPart, WholePart } from './journal.js';

/** A part of an export that is being written. */
export interface Part {
  /** Relative to the target, with `/`. */
  readonly name: string;
  /** Rows and bytes in it, those of an earlier run included. */
  readonly rows: number;
  readonly bytes: number;
  /**
   * Appends; text as UTF-8.
   * @param rows so many rows are whole with it; default: 0
   * @throws CrawlError STORE_FULL, BAD_OUTPUT
   */
  write(data: string | Uint8Array, rows?: number): Promise<void>;
  /** It is whole. It is kept from the next checkpoint on. */
  end(): Promise<void>;
}

/** Bytes that wait until they are written together. */
const BUFFER = 262_144;
/** Bytes below which a part is not made safe by itself, since a part per host would wait for the disk longer than for all else. */
export const SMALL_PART = 1_048_576;

/** A part as a file. */
export interface PartFile extends Part {
  /** Writes what waits; `safe`: it outlasts a power failure. */
  flush(safe: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a part, anew or where a checkpoint left it.
 * @param ended takes the part when it is whole
 */
export async function openPart(
  files: TargetFiles,
  path: string,
  from: OpenPart,
  ended: (part: WholePart) => void,
): Promise<PartFile> {
  let { rows, bytes } = from;
  await files.mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  if (bytes > 0) await hashFile(files, path, hash, bytes);
  const handle = await files.open(path, bytes > 0 ? 'a' : 'w');
  if (bytes > 0) await closeOnError(handle, () => handle.truncate(bytes));
  let waiting: Uint8Array[] = [];
  let size = 0;
  let isOpen = true;

  async function flush(safe: boolean): Promise<void> {
    await onDisk(path, async () => {
      if (size > 0) {
        const data = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
        waiting = [];
        size = 0;
        hash.update(data);
        await handle.appendFile(data);
      }
      if (safe) await handle.sync();
    });
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  }

  return {
    name: from.name,
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
    async write(data, more = 0) {
      const piece = typeof data === 'string' ? Buffer.from(data) : data;
      rows += more;
      bytes += piece.byteLength;
      size += piece.byteLength;
      waiting.push(piece);
      if (size >= BUFFER) await flush(false);
    },
    async end() {
      await flush(bytes >= SMALL_PART);
      await close();
      ended({ name: from.name, rows, bytes, sha256: hash.digest('hex') });
    },
    flush,
    close,
  };
}

/** Adds the first bytes of a file to a hash. */
export async function hashFile(files: TargetFiles, path: string, hash: Hash, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await using handle = await files.open(path, 'r');
  for await (const chunk of handle.createReadStream({ start: 0, end: bytes - 1, autoClose: false })) {
    hash.update(chunk as Buffer);
  }
}
