import * as promises from 'node:fs/promises';
import { CrawlError } from '../../errors/index.js';

export type TargetFiles = Pick<
  typeof promises,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm' | 'rmdir' | 'stat'
>;

export const DISK: TargetFiles = promises;

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Thrown when the signal of the caller ended the work on an output. It may be the cause of another error. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Whether an error means that the signal of the caller ended the work: {@link Stopped}, or the reason of the signal. */
export function isStop(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && error === signal.reason) return true;
  return error instanceof Stopped || (error instanceof Error && error.cause instanceof Stopped);
}

export function thereAlready(path: string): CrawlError {
  return new CrawlError('BAD_OUTPUT', `${path} already exists`, {
    hint: '--force replaces it',
  });
}

export function noFolder(path: string): CrawlError {
  return new CrawlError('BAD_OUTPUT', `no folder ${path}`, { hint: `mkdir -p ${path}` });
}

/** The kind of a path, with links followed. Undefined: the path does not exist. */
export async function kindOf(files: TargetFiles, path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const found = await files.stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Syncs the content of a file, so that it survives a power failure. */
export async function syncFile(files: TargetFiles, path: string): Promise<void> {
  await using handle = await files.open(path, 'r+');
  await handle.sync();
}

/** Syncs the names in a folder, so that they survive a power failure, if the system supports this. */
export async function syncFolder(files: TargetFiles, path: string): Promise<void> {
  const handle = await files.open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
