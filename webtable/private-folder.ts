import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its owner may enter. Missing parent folders get default permissions. An existing folder is not changed. Node's
 * recursive mkdir is not used, because it never ends in a place where no folder can be created, such as /proc.
 * @throws what the file system throws
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700);
}

async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdirIfMissing(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent, 0o777);
    await mkdirIfMissing(path, mode);
  }
}

async function mkdirIfMissing(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
