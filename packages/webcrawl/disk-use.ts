import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSeldom, type DiskUse } from '../jobs/index.js';

/** Sub-folders of a table's folder that are not of the table itself. */
const PARTS: ReadonlySet<string> = new Set(['content', 'index'] satisfies (keyof DiskUse)[]);

/** Measures what a table takes of the disk, so seldom that this costs next to nothing. */
export function createDiskUse(folder: string): () => Promise<DiskUse> {
  return createSeldom(() => diskUseOf(folder)).read;
}

/** Bytes of all files in a folder and below, by part, in one walk. Files and folders that go meanwhile are not counted. */
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
