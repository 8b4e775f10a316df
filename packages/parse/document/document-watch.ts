import { workerData } from 'node:worker_threads';
import { BUSY, MAX_MEMORY, type DocumentWatch } from './document-content.js';

// The entry of a thread in the process that reads documents. Other modules must not import it.

/** Milliseconds between two checks. */
const PAUSE = 5;

/**
 * Ends the process without a message if it uses too much memory, or if its parent has ended. The check runs in a thread of its own,
 * because the process may be in code that never yields.
 */
function watch(state: DocumentWatch): never {
  for (;;) {
    Atomics.wait(state, 0, 0);
    if (process.memoryUsage.rss() > MAX_MEMORY || process.ppid !== Atomics.load(state, 1))
      process.kill(process.pid, 'SIGKILL');
    Atomics.wait(state, 0, BUSY, PAUSE);
  }
}

watch(workerData as DocumentWatch);
