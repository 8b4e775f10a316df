import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlError } from '../../errors/index.js';
import type { IndexWriter } from '../../plugin-api/index.js';
import { makePrivateFolder } from '../../../webtable/index.js';
import { toCrawlError } from '../sqlite/errors.js';
import { createThreadClient } from '../thread-client.js';
import { openWriter, type WriterPlace } from './open-writer.js';

/** The module that the thread runs. */
export const WRITER_THREAD_ENTRY = new URL('./writer-worker.js', import.meta.url);

/** What a thread that writes is started with. */
export interface WriterThreadData {
  readonly place: WriterPlace;
  /** Names the table whose pages are written. */
  readonly table: string;
}

/** What it is asked for. The first call opens the index. */
export interface WriterCalls extends Omit<IndexWriter, 'id' | 'isWhole'> {
  state(): Promise<Pick<IndexWriter, 'id' | 'isWhole'>>;
}

/** Milliseconds for which a writer may end what it is at once its signal has aborted. */
const ABORT_MS = 2_000;

/**
 * Opens an index for writing in a thread of its own, so that fetching never waits for it; in this thread where the
 * module is not there, as in a bundle. Once the thread has ended all is rejected: open the index again.
 * @param signal two seconds after it aborts the thread is ended, whatever it waits for, and so is all that is asked of it: what was
 *   written stays, and the next run writes the rest
 * @throws CrawlError as `openWriter` does
 */
export async function openWriterThread(
  place: WriterPlace,
  table: string,
  entry = WRITER_THREAD_ENTRY,
  signal?: AbortSignal,
): Promise<IndexWriter> {
  if ('folder' in place) await makeFolder(place.folder);
  if (!existsSync(fileURLToPath(entry))) return openWriter(place, table);
  const data: WriterThreadData = { place, table };
  let failure: CrawlError | undefined;
  const ended = (reason: string): CrawlError =>
    (failure = new CrawlError('STORE_FAILED', `the thread that writes the search index ended: ${reason}`));
  const thread = createThreadClient<WriterCalls>({ entry, data, ended });
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer ??= setTimeout(() => {
      ended('it was stopped');
      void thread.end();
    }, ABORT_MS);
  };
  async function end(): Promise<void> {
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(timer);
    await thread.end();
  }
  // Another thread would find the index as it is by now, which nobody here knows.
  const call: typeof thread.call = (name, ...args) => (failure ? Promise.reject(failure) : thread.call(name, ...args));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  let state = await thread.call('state').catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    id: state.id,
    get isWhole() {
      return state.isWhole;
    },
    async markWhole() {
      await call('markWhole');
      state = { ...state, isWhole: true };
    },
    apply: (changes) => call('apply', changes),
    entries: (after, limit) => call('entries', after, limit),
    async close() {
      try {
        if (!failure) await thread.call('close');
      } finally {
        await end();
      }
    },
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder);
  } catch (error) {
    throw toCrawlError(error, folder);
  }
}
