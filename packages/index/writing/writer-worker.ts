/** What a thread that writes an index runs. */
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../threads/thread-client.js';
import { openWriter } from './open-writer.js';
import type { WriterCalls, WriterThreadData } from './writer-thread.js';

const { place, table } = workerData as WriterThreadData;

async function open(): Promise<WriterCalls> {
  const writer = await openWriter(place, table);
  return { ...writer, state: () => Promise.resolve({ id: writer.id, isWhole: writer.isWhole }) };
}

/** How much nicer than its process the thread is: where all cores are busy, a third of the share of others. */
const NICER = 5;

/**
 * Lets the threads of a crawl go first, and searches: what is written can wait for some seconds. On Linux only, where each thread has a
 * priority of its own, setpriority(2).
 */
function goSecond(): void {
  if (process.platform !== 'linux') return;
  try {
    // <process>/task/<thread>
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread !== process.pid) setPriority(thread, Math.min(getPriority(thread) + NICER, 19));
  } catch {
    // It goes on as all others do.
  }
}

/** Opens it once, when it is first asked. */
function opener(): () => Promise<WriterCalls> {
  let calls: Promise<WriterCalls> | undefined;
  return () => (calls ??= open());
}

goSecond();
answerCalls(parentPort!, opener());
