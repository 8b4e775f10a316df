import { readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The id of the file that is now at a path. A file that was at the same path earlier had another id. Undefined: there is no file.
 * @throws ENOTDIR when the folder of the path is not a folder
 */
export function fileId(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  // The birth time is part of the id, because a rebuilt file may get the inode number of the old file.
  if (found) return `${found.dev}/${found.ino}/${found.birthtimeNs}`;
  const folder = dirname(path);
  // From Node 22 on `statSync` does not report this error, but `readdirSync` does.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) readdirSync(folder);
  return undefined;
}
