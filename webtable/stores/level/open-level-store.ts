import { resolve } from 'node:path';
import { Level } from 'level';
import { CrawlError } from '../../../packages/errors/index.js';
import { tableDamaged, toCrawlError } from '../../store-errors.js';
import { DATABASE_OPTIONS, type LevelDatabase } from './database.js';
import { LevelStore } from './level-store.js';
import { SegmentFolder } from '../../content/segment-folder.js';
import { makePrivateFolder } from '../../private-folder.js';
import { openOnFullDisk } from './read-full-disk.js';
import { TABLE_PARTS, inspectTable, noTableText, partPath } from './table-folder.js';

/**
 * Opens the store in a directory. If `create` is true and the directory has no file of a table, a new table is created. Only the owner may
 * enter the new directory (0700). If the directory has any file of a table, nothing is created, so that an incomplete table is never
 * mistaken for a new one. With `readsFullDisk`, a table on a full disk can be read, and each write throws STORE_FULL.
 * @throws CrawlError NO_TABLE, TABLE_LOCKED, TABLE_DAMAGED, STORE_FULL or STORE_FAILED, with the name of the directory
 */
export async function openLevelStore(
  directory: string,
  { create = true, readsFullDisk = false } = {},
): Promise<LevelStore> {
  let database: LevelDatabase | undefined;
  try {
    const path = resolve(directory);
    const table = await inspectTable(path);
    if (table.state === 'damaged') throw tableDamaged(directory, table.found);
    const isNew = table.state === 'none';
    if (isNew && !create) throw noTable(directory, table.found);
    if (table.isBlocked) throw notMade(directory, table.found);
    if (isNew) {
      for (const folder of [path, ...TABLE_PARTS.map((name) => table[name].path)]) await makePrivateFolder(folder);
    }
    database = new Level<string, Uint8Array>(table.hot.path, { ...DATABASE_OPTIONS, createIfMissing: isNew });
    await database.open();
    return new LevelStore({ database, content: new SegmentFolder(table.content.path), directory });
  } catch (cause) {
    await database?.close().catch(() => undefined);
    const error = toCrawlError(cause, directory);
    const copy =
      readsFullDisk && error.code === 'STORE_FULL' && (await openOnFullDisk(partPath(resolve(directory), 'hot')));
    if (!copy) throw error;
    return new LevelStore({
      database: copy.database,
      content: contentOfTable(directory),
      directory,
      copy: { of: error, remove: copy.remove },
    });
  }
}

/** Returns the bodies of the table in a directory, for a process that has not opened the table. The first read opens the first file. */
export function contentOfTable(directory: string): SegmentFolder {
  return new SegmentFolder(partPath(resolve(directory), 'content'));
}

function noTable(directory: string, found: string): CrawlError {
  return new CrawlError('NO_TABLE', noTableText(directory, found), {
    hint: 'crawl, inject and rules add create a table; or name another place with --table level:<directory>',
  });
}

function notMade(directory: string, found: string): CrawlError {
  return new CrawlError('STORE_FAILED', `no table can be created at ${directory}: found ${found}`, {
    hint: 'name a folder, or a path at which a folder can be created',
  });
}
