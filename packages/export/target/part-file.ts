import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { onDisk } from '../../scan/index.js';
import type { TargetFiles } from './files.js';
import type { WholePart } from './manifest.js';

export interface Part {
  /** The path of the part, relative to the target, with `/` between folders. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /**
   * Appends data; text as UTF-8.
   * @param rows number of rows that end with this data; default: 0
   * @throws CrawlError STORE_FULL, BAD_OUTPUT
   */
  write(data: string | Uint8Array, rows?: number): Promise<void>;
  end(): Promise<void>;
}

const BUFFER_BYTES = 262_144;

export interface PartFile extends Part {
  /** Closes an unfinished file. After `end` it does nothing. */
  close(): Promise<void>;
}

/**
 * Begins a part, in a folder that is created if missing.
 * @param ended called with the part when it is complete
 */
export async function openPart(
  files: TargetFiles,
  path: string,
  name: string,
  ended: (part: WholePart) => Promise<void>,
): Promise<PartFile> {
  await files.mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  const handle = await files.open(path, 'w');
  let [rows, bytes] = [0, 0];
  let waiting: Uint8Array[] = [];
  let size = 0;
  let isOpen = true;

  async function flush(): Promise<void> {
    if (size === 0) return;
    const data = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = [];
    size = 0;
    hash.update(data);
    await onDisk(path, () => handle.appendFile(data));
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  }

  return {
    name,
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
      if (size >= BUFFER_BYTES) await flush();
    },
    async end() {
      await flush();
      await close();
      await onDisk(path, () => ended({ name, rows, bytes, sha256: hash.digest('hex') }));
    },
    close,
  };
}
