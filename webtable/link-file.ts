import { constants } from 'node:fs';
import { copyFile, link, stat, utimes } from 'node:fs/promises';

/**
 * Gives a file a second name, by a hard link. If the file system has no hard links, or `to` is on another one, it copies the file and keeps
 * its modification time. Use it only for files that are never written again.
 * @returns false if the file does not exist
 * @throws what the file system throws
 */
export async function linkFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (!NO_LINK.has(code)) throw error;
  }
  return copyIfThere(from, to);
}

/** Error codes of a file system that cannot make this hard link: another file system, no support, or too many links to one file. */
const NO_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Copies a file and keeps its modification time. It shares the data blocks if the file system can, and replaces a file at `to`.
 * @returns false if the file does not exist
 */
export async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    const { atime, mtime } = await stat(from);
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await utimes(to, atime, mtime);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
