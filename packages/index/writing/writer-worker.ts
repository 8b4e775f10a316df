import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../threads/thread-client.js';
import { openWriter } from './open-writer.js';
import type { WriterCalls, WriterThreadData } from './writer-thread.js';

const { place, table } = workerData as WriterThreadData;

async function open(): Promise<WriterCalls> {
  const writer = await openWriter(place, table);
  return { ...writer, state: () => Promise.resolve({ id: writer.id, isWhole: writer.isWhole }) };
}

function opener(): () => Promise<WriterCalls> {
  let calls: Promise<WriterCalls> | undefined;
  return () => (calls ??= open());
}

answerCalls(parentPort!, opener());
