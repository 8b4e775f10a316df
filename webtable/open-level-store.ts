import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { toCrawlError } from './level-errors.js';
import { LevelStore } from './level-store.js';

const MB = 1024 * 1024;
const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

/**
 * Opens the store in a directory, which is made when it is not there.
 * Write buffers are large because a small one stalls writers for seconds while LevelDB compacts bodies.
 * @throws CrawlError TABLE_LOCKED, TABLE_DAMAGED, STORE_FULL or STORE_FAILED, naming the directory
 */
export async function openLevelStore(directory: string): Promise<LevelStore> {
  const hot = new ClassicLevel<string, Uint8Array>(join(directory, 'hot'), { ...ENCODINGS, writeBufferSize: 64 * MB });
  const content = new ClassicLevel<string, Uint8Array>(join(directory, 'content'), {
    ...ENCODINGS,
    writeBufferSize: 64 * MB,
    maxFileSize: 32 * MB,
  });
  try {
    await hot.open();
    await content.open();
  } catch (error) {
    await Promise.allSettled([hot.close(), content.close()]);
    throw toCrawlError(error, directory);
  }
  return new LevelStore({ hot, content, directory });
}
