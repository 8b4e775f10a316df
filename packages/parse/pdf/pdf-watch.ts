import { workerData } from 'node:worker_threads';

/** Shared with {@link watch}: {@link BUSY} while a document is read, else 0; and the id of the process that wants it read. */
export type PdfWatch = Int32Array;

/** Bytes of memory, of any kind, that the process may take. */
export const MAX_MEMORY = 512 * 1024 * 1024;

/** The state while a document is read; 0 else. */
export const BUSY = 1;

/** Milliseconds between two looks. */
const PAUSE = 5;

/**
 * Ends the process, without a word, where it takes more memory than it may, or goes on after the one that started it is gone.
 * It runs in a thread of its own, since code that does not yield is what it watches.
 */
function watch(state: PdfWatch): never {
  for (;;) {
    Atomics.wait(state, 0, 0);
    if (process.memoryUsage.rss() > MAX_MEMORY || process.ppid !== Atomics.load(state, 1))
      process.kill(process.pid, 'SIGKILL');
    Atomics.wait(state, 0, BUSY, PAUSE);
  }
}

if (workerData !== null) watch(workerData as PdfWatch);
