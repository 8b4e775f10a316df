import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';

const STEP = 1000;

/**
 * The size of the data in a folder of tables that no process has open: the present keys and values of each LevelDB before compression, and
 * all other files. Overwritten and deleted data does not count.
 */
export async function storedBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const databases = files.filter(({ name }) => name === 'CURRENT').map(({ parentPath }) => parentPath);
  let bytes = 0;
  for (const database of databases) bytes += await bytesInDatabase(database);
  for (const { parentPath, name } of files) {
    if (!databases.includes(parentPath)) bytes += (await stat(join(parentPath, name))).size;
  }
  return bytes;
}

async function bytesInDatabase(folder: string): Promise<number> {
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    createIfMissing: false,
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  await database.open();
  let bytes = 0;
  try {
    const iterator = database.iterator();
    for (;;) {
      const entries = await iterator.nextv(STEP);
      if (entries.length === 0) break;
      for (const [key, value] of entries) bytes += key.length + value.length;
    }
    await iterator.close();
  } finally {
    await database.close();
  }
  return bytes;
}
