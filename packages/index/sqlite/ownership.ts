import { closeSync, openSync, readSync } from 'node:fs';
import { CrawlError } from '../../errors/index.js';
import type { Database } from './database.js';
import { INDEX_FILE } from './schema.js';

/** The code of an error. Writers of an index use BAD_SETTING, readers use NO_INDEX. */
type OwnershipCode = 'BAD_SETTING' | 'NO_INDEX';

/** The first bytes of a database, see https://www.sqlite.org/fileformat.html#the_database_header */
const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** Matches the tables of an index, including the tables that FTS5 makes for itself. */
const OURS = /^(info|docs|fts|fts_\w+)$/;

/**
 * Checks that a damaged file begins like a database. Any other file must not be removed, because it may belong to another program.
 * @throws CrawlError with the given code
 */
export function mustBeginAsDatabase(file: string, folder: string, code: OwnershipCode = 'BAD_SETTING'): void {
  const begin = Buffer.alloc(HEADER.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, begin, 0, begin.length, 0);
  } finally {
    closeSync(handle);
  }
  if (!begin.equals(HEADER)) throw ofAnother(folder, code);
}

/**
 * Checks that a database is an index.
 * @returns false for a database without tables, such as an empty file
 * @throws CrawlError with the given code when a table exists that no index has, or a table is missing that every index has
 */
export function mustBeIndex(database: Database, folder: string, code: OwnershipCode = 'BAD_SETTING'): boolean {
  const rows = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  const names = rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  if (names.length === 0) return false;
  if (!names.includes('info') || names.some((name) => !OURS.test(name))) throw ofAnother(folder, code);
  return true;
}

function ofAnother(folder: string, code: OwnershipCode): CrawlError {
  return new CrawlError(code, `${INDEX_FILE} in ${folder} is of another program`, {
    hint: 'name another folder by the setting index.path; if webcrawl made that file, remove it, and webcrawl index rebuilds it',
  });
}
