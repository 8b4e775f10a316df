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
  5: 'SQLITE_BUSY',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
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
  return new CrawlError('STORE_FAILED', `the search index in ${folder} cannot be used: ${messageOf(error)}`, {
    cause: error,
    ...(name.startsWith('SQLITE_BUSY') && { hint: 'another process writes it; let it end first' }),
  });
}
