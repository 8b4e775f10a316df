import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Level } from 'level';
import { DATABASE_OPTIONS, type LevelDatabase } from './database.js';
import { stageDatabase } from './stage-files.js';

/** A folder in memory, for a disk that also has the temporary folder. */
const IN_MEMORY = '/dev/shm';

export interface DatabaseCopy {
  readonly database: LevelDatabase;
  /** Removes the files of the copy. Call it when the database is closed. */
  remove(): Promise<void>;
}

/**
 * Opens a database on a full disk for reading. LevelDB writes files even when it opens a database only for reading, so it opens a copy of
 * the database elsewhere. The copy has symbolic links to the files with sorted keys, and is thus small. No process may write to the
 * database meanwhile.
 * @returns undefined if there is no space elsewhere
 */
export async function openOnFullDisk(path: string): Promise<DatabaseCopy | undefined> {
  for (const place of [tmpdir(), IN_MEMORY]) {
    let folder: string | undefined;
    let database: LevelDatabase | undefined;
    const remove = async (): Promise<void> => {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    };
    try {
      folder = await mkdtemp(join(place, 'webcrawl-read-'));
      const copy = join(folder, 'hot');
      await stageDatabase(resolve(path), copy, async (from, to) => {
        await symlink(from, to);
        return true;
      });
      database = new Level<string, Uint8Array>(copy, { ...DATABASE_OPTIONS, createIfMissing: false });
      await database.open();
      return { database, remove };
    } catch {
      await database?.close().catch(() => undefined);
      await remove();
    }
  }
  return undefined;
}
