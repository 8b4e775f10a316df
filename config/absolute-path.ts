import { resolve } from 'node:path';
import { CrawlError } from '../packages/errors/index.js';

/**
 * Returns the absolute path of a path that is relative to the working directory. Without a path, it returns the working directory.
 * @throws CrawlError BAD_INPUT if the working directory was deleted
 */
export function absolutePath(path = ''): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new CrawlError('BAD_INPUT', 'the working directory was deleted', {
      hint: 'change to a directory that exists, and run the same command again',
      cause,
    });
  }
}
