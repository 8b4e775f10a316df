import { workerData } from 'node:worker_threads';
import { BUSY, MAX_MEMORY, type PdfWatch } from './pdf-content.js';

// The entry of a thread of the process that reads PDFs; nothing else may import it.

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

watch(workerData as PdfWatch);
