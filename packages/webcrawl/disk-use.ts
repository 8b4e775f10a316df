import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSeldom, type DiskUse } from '../jobs/index.js';

/** Sub-folders of a table's folder that are not of the table itself. */
const PARTS = ['content', 'index'] as const;

/** Measures what a table takes of the disk, so seldom that this costs next to nothing. */
export function createDiskUse(folder: string): () => Promise<DiskUse> {
  return createSeldom(async () => {
    const [all, content, index] = await Promise.all([folder, ...PARTS.map((part) => join(folder, part))].map(bytesIn));
    return { table: all! - content! - index!, content: content!, index: index! };
  }).read;
}

/** Bytes of all files in a folder and below; 0 of one that is not there. Files that go meanwhile are not counted. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    bytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}
