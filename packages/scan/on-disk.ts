import type { FileHandle } from 'node:fs/promises';
import { CrawlError, messageOf } from '../errors/index.js';

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/**
 * Runs a task on files, and converts its errors to CrawlErrors.
 * @param path for the messages
 * @throws CrawlError STORE_FULL when the disk is full; BAD_OUTPUT for any other error of the file system
 */
export async function onDisk<T>(path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    if (FULL.has((cause as { code?: unknown }).code)) {
      throw new CrawlError('STORE_FULL', `the disk is full: cannot write ${path}`, {
        hint: 'free disk space and run the same command again',
        cause,
      });
    }
    throw new CrawlError('BAD_OUTPUT', `cannot read or write ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Writes all bytes. A single write may write only a part of them. @throws CrawlError STORE_FULL, BAD_OUTPUT */
export async function writeFully(path: string, file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const at = done;
    const { bytesWritten } = await onDisk(path, () => file.write(bytes, at, bytes.length - at, position + at));
    done += bytesWritten;
  }
}

/**
 * Reads until all bytes are read, or the file ends. A single read may return fewer bytes, and end in the middle of a number.
 * @returns the number of bytes read
 * @throws CrawlError BAD_OUTPUT
 */
export async function readFully(path: string, file: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const at = filled;
    const { bytesRead } = await onDisk(path, () => file.read(bytes, at, bytes.length - at, position + at));
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
