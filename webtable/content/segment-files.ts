import { randomBytes } from 'node:crypto';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** The methods that a file of a content folder needs; `FileHandle` of node:fs/promises has them. */
export interface SegmentFile {
  writev(parts: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export const SEGMENT_SUFFIX = '.warc.gz';
const SEGMENT = /^[0-9]{14}-[0-9a-f]{8}\.warc\.gz$/;

export function segmentPath(directory: string, segment: string): string {
  return join(directory, segment + SEGMENT_SUFFIX);
}

/** A new unique name. Names sort by time, and are random enough to be unique over all processes. */
export function newSegmentName(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]|\..*/g, '');
  return `${time}-${randomBytes(4).toString('hex')}`;
}

/** The segments in a folder with their sizes, oldest first; empty if the folder does not exist. */
export async function listSegments(directory: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const names = (await readdir(directory).catch(unlessMissing)) ?? [];
  for (const file of names.filter((name) => SEGMENT.test(name)).sort()) {
    const size = await sizeOf(join(directory, file));
    if (size !== undefined) sizes.set(file.slice(0, -SEGMENT_SUFFIX.length), size);
  }
  return sizes;
}

/** Returns the size of a file; undefined if the path is not a file, but for example a folder or a broken link. */
export async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(unlessMissing);
  return found?.isFile() ? found.size : undefined;
}

/** A segment that is open for reading, with its size when it was opened. */
export interface OpenSegment {
  readonly file: FileHandle;
  readonly size: number;
}

/** Opens a segment; undefined if it is missing. */
export async function openSegment(directory: string, segment: string): Promise<OpenSegment | undefined> {
  const file = await open(segmentPath(directory, segment), 'r').catch(unlessMissing);
  if (!file) return undefined;
  try {
    const found = await file.stat();
    return { file, size: found.isFile() ? found.size : 0 };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Ignores the error of a missing file, and throws every other error. */
function unlessMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
  return undefined;
}
