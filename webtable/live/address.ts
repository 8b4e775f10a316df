import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The sub-folder of a table for the socket of the process that has the table open. When that process is gone, the socket is useless. */
export const LIVE_FOLDER = 'live';
const SOCKET = 'socket';
/** Maximum bytes of a socket path that every system accepts. */
const MAX_PATH = 100;

/**
 * Calls `use` with the address of a table's socket: a socket in its folder, or a named pipe on Windows. If the path is too long for an
 * address, `use` gets a shorter path through a link in a private folder. This folder exists while `use` runs.
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

/** Removes the socket of a table. Only the process that has the table open may do this. */
export async function removeSocket(directory: string): Promise<void> {
  if (process.platform !== 'win32') await rm(join(directory, LIVE_FOLDER, SOCKET), { force: true });
}

function pipeName(directory: string): string {
  let path = resolve(directory);
  try {
    path = realpathSync.native(path);
  } catch {
    // There is no table yet, so no process serves it.
  }
  return `\\\\.\\pipe\\webcrawl-${createHash('sha256').update(path.toLowerCase()).digest('hex').slice(0, 32)}`;
}
