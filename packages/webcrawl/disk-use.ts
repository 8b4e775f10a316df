import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUse } from '../answers/index.js';
import { createSeldom } from '../util/index.js';

/** Sub-folders of the folder of a table. The size of each is counted separately from the rest of the table. */
const PARTS: ReadonlySet<string> = new Set(['content', 'index'] satisfies (keyof DiskUse)[]);

/** Makes a function that returns the disk space of a table. It measures so seldom that the cost is negligible. */
export function createDiskUse(folder: string): () => Promise<DiskUse> {
  return createSeldom(() => diskUseOf(folder)).read;
}

/**
 * Returns the bytes of all files in a folder and its sub-folders, by part. It reads the folders once. A file or folder that is deleted
 * while it reads is not counted.
 */
export async function diskUseOf(folder: string): Promise<DiskUse> {
  const use = { table: 0, content: 0, index: 0 };
  const walk = async (path: string, part: keyof DiskUse): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) await walk(inner, isPart(path, entry.name) ? entry.name : part);
      else if (entry.isFile()) use[part] += await bytesOf(inner);
    }
  };
  const isPart = (path: string, name: string): name is 'content' | 'index' => path === folder && PARTS.has(name);
  await walk(folder, 'table');
  return use;
}

function bytesOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
