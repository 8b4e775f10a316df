/** What a thread that writes an index runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { CrawlError, messageOf } from '../../errors/index.js';
import type { IndexWriter } from '../../plugin-api/index.js';
import { openWriter } from './open-writer.js';
import type { ThreadError, WriterReply, WriterRequest, WriterThreadData } from './thread-messages.js';

const { place, table } = workerData as WriterThreadData;
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);

function toThreadError(error: unknown): ThreadError {
  if (!(error instanceof CrawlError)) return { message: messageOf(error) };
  const { code, message, hint } = error;
  return { code, message, ...(hint !== undefined && { hint }) };
}

async function answer(writer: IndexWriter, request: WriterRequest): Promise<Pick<WriterReply, 'entries' | 'applied'>> {
  if (request.type === 'entries') return { entries: await writer.entries(request.after, request.limit) };
  if (request.type === 'apply') return { applied: await writer.apply(request.changes) };
  if (request.type === 'markWhole') await writer.markWhole();
  else await writer.close();
  return {};
}

async function serve(): Promise<void> {
  const writer = await openWriter(place, table);
  reply({ isWhole: writer.isWhole });
  // Answers come in the order of the requests, as all of a writer's work is done before it returns.
  port.on('message', (request: WriterRequest) => {
    answer(writer, request).then(
      (found) => {
        reply({ isWhole: writer.isWhole, ...found });
        if (request.type === 'close') port.close();
      },
      (error: unknown) => reply({ isWhole: writer.isWhole, error: toThreadError(error) }),
    );
  });
}

serve().catch((error: unknown) => reply({ isWhole: false, error: toThreadError(error) }));
