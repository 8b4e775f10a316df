import { CrawlError } from '../packages/errors/index.js';

/** An error of LevelDB, or of the file system beneath it, as the error of ours that says what to do. */
export function toCrawlError(error: unknown, directory?: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const chain = causes(error);
  const codes = new Set(chain.map((cause) => (cause as { code?: unknown }).code));
  const text = chain.map((cause) => cause.message).join(': ');
  const where = directory === undefined ? 'the table' : `the table in ${directory}`;

  if (codes.has('LEVEL_LOCKED') || /\block\b.*\b(held|unavailable)/i.test(text)) {
    return new CrawlError(
      'TABLE_LOCKED',
      `expected ${where} to be free, found it open already, in another process or in this one`,
      {
        hint: 'wait for the other command to end, or stop it; one process at a time can have a table open',
        cause: error,
      },
    );
  }
  if (codes.has('ENOSPC') || codes.has('EDQUOT') || /no space left|ENOSPC|quota exceeded/i.test(text)) {
    return new CrawlError('STORE_FULL', `expected room for ${where}, found the disk full`, {
      hint: 'make room and run the same command again; no finished work is lost',
      cause: error,
    });
  }
  if (codes.has('LEVEL_CORRUPTION') || /^corruption|: corruption/i.test(text)) {
    return new CrawlError('TABLE_DAMAGED', `expected ${where} to be readable, found it damaged: ${text}`, {
      hint: 'restore the directory from a copy; it was changed by something else, or the disk fails',
      cause: error,
    });
  }
  const ended = ['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN', 'LEVEL_SNAPSHOT_NOT_OPEN'];
  if (chain.length === 1 && ended.some((code) => codes.has(code))) {
    return new CrawlError('CLOSED', 'expected an open store, found it closed', { cause: error });
  }
  return new CrawlError('STORE_FAILED', `expected ${where} to be readable and writable, found: ${text}`, {
    hint: 'name a directory that can be made and written to; its message says what stands in the way',
    cause: error,
  });
}

/** The error and what caused it, outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && chain.length < 10; next = next.cause) chain.push(next);
  return chain.length > 0 ? chain : [new Error(String(error))];
}
