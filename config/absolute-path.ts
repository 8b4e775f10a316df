import { resolve } from 'node:path';
import { CrawlError } from '../packages/errors/index.js';

/**
 * The absolute path of one that is relative to the working directory, which is also what no path means.
 * @throws CrawlError BAD_INPUT where the working directory was deleted
 */
export function absolutePath(path = ''): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new CrawlError('BAD_INPUT', 'expected a working directory, found that it was deleted', {
      hint: 'change to a directory that exists, and run the same again',
      cause,
    });
  }
}
