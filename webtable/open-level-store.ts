import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { CrawlError } from '../packages/errors/index.js';
import { toCrawlError } from './level-errors.js';
import { LevelStore } from './level-store.js';

const MB = 1024 * 1024;
const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

/**
 * Opens the store in a directory, which is made when it is not there and `create` is not false.
 * Write buffers are large because small ones stall writers while LevelDB compacts; two of each are in memory at times.
 * @throws CrawlError NO_TABLE, TABLE_LOCKED, TABLE_DAMAGED, STORE_FULL or STORE_FAILED, naming the directory
 */
export async function openLevelStore(directory: string, { create = true } = {}): Promise<LevelStore> {
  if (!create && !existsSync(join(directory, 'hot'))) {
    throw new CrawlError('NO_TABLE', `expected a table in ${directory}, found none`, {
      hint: 'crawl and inject make one; or name another place with --table level:<directory>',
    });
  }
  const hot = new ClassicLevel<string, Uint8Array>(join(directory, 'hot'), { ...ENCODINGS, writeBufferSize: 32 * MB });
  const content = new ClassicLevel<string, Uint8Array>(join(directory, 'content'), {
    ...ENCODINGS,
    writeBufferSize: 16 * MB,
    maxFileSize: 32 * MB,
  });
  try {
    // LevelDB tries for ever in places where nothing can be made.
    await mkdir(directory, { recursive: true });
    await hot.open();
    await content.open();
  } catch (error) {
    await Promise.allSettled([hot.close(), content.close()]);
    throw toCrawlError(error, directory);
  }
  return new LevelStore({ hot, content, directory });
}
