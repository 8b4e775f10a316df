import { CrawlError, messageOf } from '../../errors/index.js';

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/**
 * Runs a task on files.
 * @param path what its errors name
 * @throws CrawlError STORE_FULL where there is no room; BAD_OUTPUT for whatever else the file system says
 */
export async function onDisk<T>(path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    if (FULL.has((cause as { code?: unknown }).code)) {
      throw new CrawlError('STORE_FULL', `expected room to write ${path}, found the disk full`, {
        hint: 'make room and run the same command again',
        cause,
      });
    }
    throw new CrawlError('BAD_OUTPUT', `expected to read and write ${path}, found: ${messageOf(cause)}`, { cause });
  }
}
