import { CrawlError, messageOf, tooFewFiles } from '../../errors/index.js';

/**
 * Returns the name of an error of either engine. Errors of `node:sqlite` have the error number of SQLite, errors of `libsql` have the name.
 */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // The lower byte is the primary code, see https://www.sqlite.org/rescode.html.
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

/** Whether the error means that the file is not a database, or is damaged. A table or column is missing if the schema was damaged. */
export function isDamaged(error: unknown): boolean {
  return (
    /^SQLITE_(CORRUPT|NOTADB)/.test(nameOf(error)) || /\b(?:no such|has no) (?:table|column)\b/.test(messageOf(error))
  );
}

export function wrongIndex(folder: string): CrawlError {
  return new CrawlError('WRONG_INDEX', `the search index in ${folder} is of another table`, {
    hint:
      'name a folder of its own for each table by the setting index.path; if the other table no longer exists, remove that folder, ' +
      'and webcrawl index rebuilds the index',
  });
}

const MAY_NOT = 'let this user read and write that folder and its files';
const NO_FOLDER =
  'something else is where this folder should be: move it away, or name another folder by the setting index.path';
const HINTS: readonly (readonly [string, string])[] = [
  [
    'SQLITE_BUSY',
    'another process uses it, such as the SQLite shell or a backup program; wait until it ends, then try again',
  ],
  ['SQLITE_IOERR', 'the disk or its file system failed; see the log of the system, then try again'],
  ['SQLITE_PERM', MAY_NOT],
  ['SQLITE_READONLY', MAY_NOT],
  ['SQLITE_CANTOPEN', MAY_NOT],
  ['EACCES', MAY_NOT],
  ['EPERM', MAY_NOT],
  ['EROFS', MAY_NOT],
  ['EEXIST', NO_FOLDER],
  ['ENOTDIR', NO_FOLDER],
  ['ELOOP', NO_FOLDER],
];

/** Turns an error of SQLite into a CrawlError with a hint. A {@link CrawlError} stays unchanged. */
export function toCrawlError(error: unknown, folder: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const tooFew = tooFewFiles(error);
  if (tooFew) return tooFew;
  const name = nameOf(error);
  if (name.startsWith('SQLITE_FULL')) {
    return new CrawlError('STORE_FULL', `the disk of the search index in ${folder} is full`, {
      hint: 'free disk space, then run the same command again: indexed pages stay, and the others are added',
      cause: error,
    });
  }
  if (isDamaged(error)) {
    return new CrawlError('STORE_FAILED', `the search index in ${folder} is damaged: ${messageOf(error)}`, {
      hint: 'remove that folder, then run `webcrawl index`, which rebuilds the index from the table',
      cause: error,
    });
  }
  const hint = HINTS.find(([begin]) => name.startsWith(begin));
  return new CrawlError('STORE_FAILED', `the search index in ${folder} cannot be used: ${messageOf(error)}`, {
    cause: error,
    ...(hint && { hint: hint[1] }),
  });
}
