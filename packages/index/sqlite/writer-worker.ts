/** What a thread that writes an index runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { createWords } from '../words/create-words.js';
import { answerCalls } from './thread-client.js';
import type { WriterCalls, WriterThreadData } from './writer-thread.js';
import { openSqliteWriter } from './writer.js';

const { folder, table } = workerData as WriterThreadData;

async function open(): Promise<WriterCalls> {
  const writer = await openSqliteWriter(folder, table, await createWords());
  return { ...writer, isWhole: () => Promise.resolve(writer.isWhole) };
}

let calls: Promise<WriterCalls> | undefined;
answerCalls(parentPort!, () => (calls ??= open()));
