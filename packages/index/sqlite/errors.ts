import { CrawlError, messageOf } from '../../errors/index.js';

/** What an error of either engine says of itself: `node:sqlite` has the number of SQLite, `libsql` the name. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // The lower byte is the primary code; https://www.sqlite.org/rescode.html
  if (typeof errcode === 'number') return PRIMARY[errcode & 0xff] ?? '';
  return typeof code === 'string' ? code : '';
}

const PRIMARY: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** Whether the file is no database, or a broken one. */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(nameOf(error));
}

/** The index of a folder is that of another table. */
export function wrongIndex(folder: string): CrawlError {
  return new CrawlError('WRONG_INDEX', `expected the search index of this table in ${folder}, found that of another`, {
    hint:
      'name a folder of its own for each table by the setting index.path; where the other table is no more, remove that folder, ' +
      'and webcrawl index makes the index anew',
  });
}

const MAY_NOT = 'see that this user may read and write that folder and its files';
const HINTS: readonly (readonly [string, string])[] = [
  ['SQLITE_BUSY', 'another process holds it, as the shell of SQLite or a copy does; let that end, then try again'],
  ['SQLITE_IOERR', 'the disk or its file system failed; the log of the system says more. Then try again'],
  ['SQLITE_PERM', MAY_NOT],
  ['SQLITE_READONLY', MAY_NOT],
  ['SQLITE_CANTOPEN', MAY_NOT],
];

/** An error of SQLite as one that says what to do. What is a {@link CrawlError} stays. */
export function toCrawlError(error: unknown, folder: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const name = nameOf(error);
  if (name.startsWith('SQLITE_FULL')) {
    return new CrawlError('STORE_FULL', `expected room for the search index in ${folder}, found the disk full`, {
      hint: 'make room, then run the same command again: what was indexed stays, and the rest is added',
      cause: error,
    });
  }
  if (isDamaged(error)) {
    return new CrawlError(
      'STORE_FAILED',
      `expected a search index in ${folder}, found it damaged: ${messageOf(error)}`,
      {
        hint: 'remove that folder, then run `webcrawl index`, which makes it anew from the table',
        cause: error,
      },
    );
  }
  const hint = HINTS.find(([begin]) => name.startsWith(begin));
  return new CrawlError('STORE_FAILED', `the search index in ${folder} cannot be used: ${messageOf(error)}`, {
    cause: error,
    ...(hint && { hint: hint[1] }),
  });
}
