import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlError } from '../../errors/index.js';
import type { IndexWriter } from '../../plugin-api/index.js';
import { makePrivateFolder } from '../../../webtable/index.js';
import { createWords } from '../words/create-words.js';
import { toCrawlError } from './errors.js';
import { createThreadClient } from './thread-client.js';
import { openSqliteWriter } from './writer.js';

/** The module that the thread runs. */
export const WRITER_THREAD_ENTRY = new URL('./writer-worker.js', import.meta.url);

/** What a thread that writes is started with. */
export interface WriterThreadData {
  readonly folder: string;
  /** Names the table whose pages are written. */
  readonly table: string;
}

/** What it is asked for. The first call opens the index. */
export interface WriterCalls extends Omit<IndexWriter, 'isWhole'> {
  isWhole(): Promise<boolean>;
}

/**
 * Opens the index of a folder for writing in a thread of its own, so that fetching never waits for it; in this thread where the
 * module is not there, as in a bundle.
 * @throws CrawlError as `openSqliteWriter` does
 */
export async function openWriterThread(
  folder: string,
  table: string,
  entry = WRITER_THREAD_ENTRY,
): Promise<IndexWriter> {
  try {
    await makePrivateFolder(folder);
  } catch (error) {
    throw toCrawlError(error, folder);
  }
  if (!existsSync(fileURLToPath(entry))) return openSqliteWriter(folder, table, await createWords());
  const data: WriterThreadData = { folder, table };
  const thread = createThreadClient<WriterCalls>({
    entry,
    data,
    ended: (reason) => new CrawlError('STORE_FAILED', `the thread that writes the search index ended: ${reason}`),
  });
  let isWhole = await thread.call('isWhole').catch(async (error: unknown) => {
    await thread.end();
    throw error;
  });
  return {
    get isWhole() {
      return isWhole;
    },
    async markWhole() {
      await thread.call('markWhole');
      isWhole = true;
    },
    apply: (changes) => thread.call('apply', changes),
    entries: (after, limit) => thread.call('entries', after, limit),
    async close() {
      try {
        await thread.call('close');
      } finally {
        await thread.end();
      }
    },
  };
}
