import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Returns the absolute path with symbolic links resolved, even if the end of the path does not exist. */
export async function realPath(path: string): Promise<string> {
  const full = resolve(path);
  const parent = dirname(full);
  return realpath(full).catch(async () => (parent === full ? full : join(await realPath(parent), basename(full))));
}
