import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlError } from '../../errors/index.js';
import { type IndexWriter, makePrivateFolder } from '../../core/index.js';
import { toCrawlError } from '../sqlite/errors.js';
import { createThreadClient } from '../threads/thread-client.js';
import { openWriter, type WriterLocation } from './open-writer.js';

export const WRITER_THREAD_ENTRY = new URL('./writer-worker.js', import.meta.url);

export interface WriterThreadData {
  readonly place: WriterLocation;
  readonly table: string;
}

/** The functions of the thread. The first call opens the index. */
export interface WriterCalls extends Omit<IndexWriter, 'id' | 'isWhole'> {
  state(): Promise<Pick<IndexWriter, 'id' | 'isWhole'>>;
}

/** Number of milliseconds that a writer gets to finish its present work after the signal aborts. */
const ABORT_MS = 2_000;

/**
 * Opens an index for writing in a separate thread, so that fetching never waits for the index. If the module of the thread is missing, as
 * in a bundle, the index is opened in the calling thread. Once the thread has ended, all calls are rejected, and the index must be opened
 * again.
 * @param signal two seconds after it aborts, the thread and all running calls are ended. Pages that were written stay in the index, and the
 * next run writes the others
 * @throws CrawlError as `openWriter` does
 */
export async function openWriterThread(
  place: WriterLocation,
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
  // After a failure no new thread is started. A new thread would open the index again, in a state that may differ from what the caller knows.
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
