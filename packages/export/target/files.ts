import * as promises from 'node:fs/promises';
import { CrawlError } from '../../errors/index.js';

/** What a target does to a disk: `node:fs/promises`, or what a test puts in its place. */
export type TargetFiles = Pick<
  typeof promises,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm' | 'rmdir' | 'stat'
>;

/** The disk itself. */
export const DISK: TargetFiles = promises;

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The signal of the caller has ended the work on an output; it may be the cause of another error. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Whether an error says that the signal of the caller has ended the work: {@link Stopped}, or its reason. */
export function isStop(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && error === signal.reason) return true;
  return error instanceof Stopped || (error instanceof Error && error.cause instanceof Stopped);
}

/** The error for an output that is there already. */
export function thereAlready(path: string): CrawlError {
  return new CrawlError('BAD_OUTPUT', `expected nothing at ${path}, found an output there`, {
    hint: '--force replaces it',
  });
}

/** The error for an output in a folder that is not there. */
export function noFolder(path: string): CrawlError {
  return new CrawlError('BAD_OUTPUT', `expected a folder at ${path}, found none`, { hint: `mkdir -p ${path}` });
}

/** What a path leads to; undefined for nothing. */
export async function kindOf(files: TargetFiles, path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const found = await files.stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the names in a folder outlast a power failure, where the system can. */
export async function syncFolder(files: TargetFiles, path: string): Promise<void> {
  const handle = await files.open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Runs the first work on an open file, which is closed where that fails. */
export async function closeOnError(handle: AsyncDisposable, task: () => Promise<unknown>): Promise<void> {
  try {
    await task();
  } catch (error) {
    await handle[Symbol.asyncDispose]();
    throw error;
  }
}
