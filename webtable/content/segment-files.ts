import { randomBytes } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What a file of a content folder must be able to do; `FileHandle` of node:fs/promises does. */
export interface SegmentFile {
  writev(parts: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** How the names of segments end. */
export const SEGMENT_SUFFIX = '.warc.gz';
const SEGMENT = /^[0-9]{14}-[0-9a-f]{8}\.warc\.gz$/;

/** Where a segment is. */
export function segmentPath(directory: string, segment: string): string {
  return join(directory, segment + SEGMENT_SUFFIX);
}

/** A name that no segment has, had or will have: sorted by time, and random enough for all processes. */
export function newSegmentName(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]|\..*/g, '');
  return `${time}-${randomBytes(4).toString('hex')}`;
}

/** The segments in a folder with their sizes, oldest first; none where there is no folder. */
export async function listSegments(directory: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const file of (await namesIn(directory)).filter((name) => SEGMENT.test(name)).sort()) {
    const size = await sizeOf(join(directory, file));
    if (size !== undefined) sizes.set(file.slice(0, -SEGMENT_SUFFIX.length), size);
  }
  return sizes;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The size of a file; undefined where it is not there. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Reads parts of one file, in order; undefined for each that is not there whole. */
export async function readParts(
  path: string,
  parts: readonly { readonly offset: number; readonly length: number }[],
): Promise<(Uint8Array | undefined)[]> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return parts.map(() => undefined);
    throw error;
  }
  try {
    const { size } = await file.stat();
    const read: (Uint8Array | undefined)[] = [];
    for (const { offset, length } of parts) {
      if (offset + length > size) {
        read.push(undefined);
        continue;
      }
      const bytes = Buffer.allocUnsafeSlow(length);
      let at = 0;
      while (at < length) {
        const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      read.push(at === length ? bytes : undefined);
    }
    return read;
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
