import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder in the folder of a table that holds the socket of the process which has the table open. Of no use without it. */
export const LIVE_FOLDER = 'live';
const SOCKET = 'socket';
/** Bytes that every system takes as the path of a socket. */
const MAX_PATH = 100;

/**
 * Uses the address of a table's socket: a socket in its folder, on Windows a named pipe. Where the path is too long for an
 * address, it is reached through a link in a private folder, which is there as long as `use` runs.
 */
export async function withAddress<T>(directory: string, use: (address: string) => Promise<T>): Promise<T> {
  if (process.platform === 'win32') return use(pipeName(directory));
  const folder = resolve(directory, LIVE_FOLDER);
  const path = join(folder, SOCKET);
  if (Buffer.byteLength(path) <= MAX_PATH) return use(path);
  const around = await mkdtemp(join(tmpdir(), 'webcrawl-'));
  try {
    await symlink(folder, join(around, LIVE_FOLDER));
    return await use(join(around, LIVE_FOLDER, SOCKET));
  } finally {
    await rm(around, { recursive: true, force: true });
  }
}

/** Removes the socket of a table, which only the process may do that has the table open. */
export async function removeSocket(directory: string): Promise<void> {
  if (process.platform !== 'win32') await rm(join(directory, LIVE_FOLDER, SOCKET), { force: true });
}

function pipeName(directory: string): string {
  let path = resolve(directory);
  try {
    path = realpathSync.native(path);
  } catch {
    // There is no table yet, and nobody who serves it.
  }
  return `\\\\.\\pipe\\webcrawl-${createHash('sha256').update(path.toLowerCase()).digest('hex').slice(0, 32)}`;
}
