import { closeSync, openSync, readSync } from 'node:fs';
import { CrawlError } from '../../errors/index.js';
import type { Database } from './database.js';
import { INDEX_FILE } from './schema.js';

/** How a database begins; https://www.sqlite.org/fileformat.html#the_database_header */
const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** The tables of an index, and those that FTS5 makes for one of them. */
const OURS = /^(info|docs|fts|fts_\w+)$/;

/**
 * A file that cannot be read as a database, and does not begin as one, is not removed: it may be anything.
 * @throws CrawlError BAD_SETTING
 */
export function mustBeginAsDatabase(file: string, folder: string): void {
  const begin = Buffer.alloc(HEADER.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, begin, 0, begin.length, 0);
  } finally {
    closeSync(handle);
  }
  if (!begin.equals(HEADER)) throw ofAnother(folder);
}

/** @throws CrawlError BAD_SETTING where a database has tables that no index has, or none that each has */
export function mustBeIndex(database: Database, folder: string): void {
  const rows = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  const names = rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  if (names.length === 0) return;
  if (!names.includes('info') || names.some((name) => !OURS.test(name))) throw ofAnother(folder);
}

function ofAnother(folder: string): CrawlError {
  return new CrawlError('BAD_SETTING', `expected a search index in ${folder}, found ${INDEX_FILE} of another program`, {
    hint: 'name another folder by the setting index.path; where webcrawl made that file, remove it, and webcrawl index makes it anew',
  });
}
