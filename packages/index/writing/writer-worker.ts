/** What a thread that writes an index runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../sqlite/thread-client.js';
import { openWriter } from './open-writer.js';
import type { WriterCalls, WriterThreadData } from './writer-thread.js';

const { place, table } = workerData as WriterThreadData;

async function open(): Promise<WriterCalls> {
  const writer = await openWriter(place, table);
  return { ...writer, isWhole: () => Promise.resolve(writer.isWhole) };
}

let calls: Promise<WriterCalls> | undefined;
answerCalls(parentPort!, () => (calls ??= open()));
