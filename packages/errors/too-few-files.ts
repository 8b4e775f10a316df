import { CrawlError } from './crawl-error.js';

/**
 * Returns the error TOO_FEW_FILES if a system error says that the process, or the system, cannot open more files. undefined for any other
 * error.
 */
export function tooFewFiles(error: unknown): CrawlError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    const { code, message } = at as NodeJS.ErrnoException;
    if (code !== 'EMFILE' && code !== 'ENFILE' && !/too many open files/i.test(message)) continue;
    return new CrawlError('TOO_FEW_FILES', `expected to open another file or connection, found: ${message}`, {
      hint: 'allow more open files, for instance with `ulimit -n 4096`, and run the same command again',
      cause: error,
    });
  }
  return undefined;
}
