import { workerData } from 'node:worker_threads';

/** What a {@link watch} is given; `state` holds one whole number, which is {@link BUSY} while a document is read. */
export interface PdfWatch {
  readonly state: Int32Array;
  /** Bytes of memory that the process may take. */
  readonly limit: number;
  /** The id of the process that started it. */
  readonly parent: number;
}

/** The state while a document is read; 0 else. */
export const BUSY = 1;

/** Milliseconds between two looks. */
const PAUSE = 5;

/**
 * Ends the process, without a word, where it takes more memory than it may, or goes on after the one that started it is gone.
 * It runs in a thread of its own, since code that does not yield is what it watches.
 */
function watch({ state, limit, parent }: PdfWatch): never {
  for (;;) {
    Atomics.wait(state, 0, 0);
    if (process.memoryUsage.rss() > limit || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(state, 0, BUSY, PAUSE);
  }
}

if (workerData !== null) watch(workerData as PdfWatch);
