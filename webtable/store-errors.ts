import { CrawlError, tooFewFiles } from '../packages/errors/index.js';

/** Turns an error of LevelDB, or of the file system below it, into a CrawlError with a hint. */
export function toCrawlError(error: unknown, directory?: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const tooFew = tooFewFiles(error);
  if (tooFew) return tooFew;
  const chain = causes(error);
  const codes = new Set(chain.map((cause) => (cause as { code?: unknown }).code));
  const text = chain.map((cause) => cause.message).join(': ');
  const where = directory === undefined ? 'the table' : `the table in ${directory}`;

  if (codes.has('LEVEL_LOCKED') || /\block\b.*\b(held|unavailable)/i.test(text)) {
    return new CrawlError('TABLE_LOCKED', `${where} is in use by another process, or by this one`, {
      hint: 'wait for the other command to end, or stop it; one process at a time can have a table open',
      cause: error,
    });
  }
  if (codes.has('ENOSPC') || codes.has('EDQUOT') || /no space left|ENOSPC|quota exceeded/i.test(text)) {
    return new CrawlError('STORE_FULL', `the disk of ${where} is full`, {
      hint: 'make room and run the same command again; no finished work is lost',
      cause: error,
    });
  }
  if (codes.has('LEVEL_CORRUPTION') || /^corruption|: corruption/i.test(text) || BROKEN_FILE.test(text)) {
    return tableDamaged(directory, text, error);
  }
  const ended = ['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN', 'LEVEL_SNAPSHOT_NOT_OPEN'];
  if (chain.length === 1 && ended.some((code) => codes.has(code))) {
    return new CrawlError('CLOSED', 'the store is closed', { cause: error });
  }
  return new CrawlError('STORE_FAILED', `cannot read or write ${where}: ${text}`, {
    hint: hintFor(codes, text),
    cause: error,
  });
}

/**
 * Matches LevelDB's messages on a broken file. A file of the database may be missing, shorter than the list of files says, or a folder.
 * LevelDB notices a short file or a folder when it maps the file into memory. The file CURRENT may name a file that does not exist. If that
 * name has a zero byte, the message ends at the zero byte.
 */
const BROKEN_FILE =
  /IO error: .*: (?:No such file|Is a directory|Not a directory)|IO error: .*\/MANIFEST-[^:]*$|\.(?:ldb|sst): (?:Invalid argument|No such device)|create_if_missing is false/is;

/**
 * Makes the error TABLE_DAMAGED for a table.
 * @param found what is wrong with it
 */
export function tableDamaged(directory: string | undefined, found: string, cause?: unknown): CrawlError {
  const where = directory === undefined ? 'the table' : `the table in ${directory}`;
  return new CrawlError('TABLE_DAMAGED', `${where} is damaged: ${found}`, {
    hint:
      'if it is being copied, wait for the copy to end; else restore the whole directory from a copy, or see what ' +
      '`webcrawl repair --files` would save',
    ...(cause !== undefined && { cause }),
  });
}

/** Returns a hint for an error of the file system. */
function hintFor(codes: ReadonlySet<unknown>, text: string): string {
  const refused = ['EACCES', 'EPERM', 'EROFS'].some((code) => codes.has(code));
  if (refused || /permission denied|read-only file system|not permitted/i.test(text)) {
    return 'name a directory that you may write to; a table is written to even when it is only read, so copy one that is on read-only media';
  }
  if (codes.has('EIO') || /input\/output error/i.test(text)) {
    return 'the disk or the connection to it fails: copy the table to another one while it can be read';
  }
  return 'name a directory that can be made and written to; the message says what is in the way';
}

/** The error and its causes, outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && chain.length < 10; next = next.cause) chain.push(next);
  return chain.length > 0 ? chain : [new Error(String(error))];
}
