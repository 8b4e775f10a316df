import type { Progress } from '../reporting/job.js';
import { plusDone, type JobTotals } from '../reporting/totals.js';

/** Combines the progress of overlapping rounds into one sum. */
export function createRoundsProgress() {
  const open = new Map<string, Progress>();
  let ended: JobTotals = { done: 0, bytes: 0, counters: {}, errors: {} };
  return {
    /** Sets the progress of the fetch of a batch. */
    add(progress: Progress): void {
      open.set(progress.batchId ?? '', progress);
    },
    /** Returns the sum over all batches of the crawl. */
    sum: (): JobTotals => [...open.values()].reduce(plusDone, ended),
    /** Records that a batch is done. Its progress stays in the sum. */
    end(batchId: string): void {
      const last = open.get(batchId);
      open.delete(batchId);
      if (last) ended = plusDone(ended, last);
    },
  };
}
