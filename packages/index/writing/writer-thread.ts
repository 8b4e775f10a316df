import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CrawlError, messageOf } from '../../errors/index.js';
import type { IndexWriter } from '../../plugin-api/index.js';
import { makePrivateFolder } from '../../../webtable/index.js';
import { toCrawlError } from '../sqlite/errors.js';
import { openWriter, type WriterPlace } from './open-writer.js';
import type { WriterReply, WriterRequest, WriterThreadData } from './thread-messages.js';

/** The module that the thread runs. */
export const WRITER_THREAD_ENTRY = new URL('./writer-worker.js', import.meta.url);

interface Waiting {
  readonly resolve: (reply: WriterReply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens an index for writing in a thread of its own, so that fetching never waits for it; in this thread where the
 * module is not there, as in a bundle.
 * @throws CrawlError as `openWriter` does
 */
export async function openWriterThread(
  place: WriterPlace,
  table: string,
  entry = WRITER_THREAD_ENTRY,
): Promise<IndexWriter> {
  if ('folder' in place) await makeFolder(place.folder);
  if (!existsSync(fileURLToPath(entry))) return openWriter(place, table);
  const data: WriterThreadData = { place, table };
  const worker = new Worker(entry, { workerData: data });
  const line: Waiting[] = [];
  let failure: Error | undefined;
  let exitReason = 'the thread that writes the search index ended';
  const next = (): Promise<WriterReply> =>
    new Promise((resolve, reject) => (failure ? reject(failure) : line.push({ resolve, reject })));

  worker
    .on('message', (reply: WriterReply) => {
      const first = line.shift();
      if (reply.error) first?.reject(toError(reply.error));
      else first?.resolve(reply);
      if (line.length === 0) worker.unref();
    })
    .on('error', (error) => (exitReason = messageOf(error)))
    .on('exit', () => {
      failure = new CrawlError('STORE_FAILED', exitReason);
      for (const { reject } of line.splice(0)) reject(failure);
    });

  const ask = (request: WriterRequest): Promise<WriterReply> => {
    const reply = next();
    worker.ref();
    worker.postMessage(request);
    return reply;
  };
  const opened = await next().catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  let { isWhole } = opened;
  return {
    get isWhole() {
      return isWhole;
    },
    async markWhole() {
      ({ isWhole } = await ask({ type: 'markWhole' }));
    },
    async apply(changes) {
      return (await ask({ type: 'apply', changes })).applied ?? { added: 0, changed: 0, removed: 0 };
    },
    entries: async (after, limit) => [...((await ask({ type: 'entries', after, limit })).entries ?? [])],
    async close() {
      if (failure) return;
      await ask({ type: 'close' });
      await worker.terminate();
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

function toError({ code, message, hint }: NonNullable<WriterReply['error']>): CrawlError {
  return new CrawlError(code ?? 'INTERNAL', message, hint === undefined ? {} : { hint });
}
