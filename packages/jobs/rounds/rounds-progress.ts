import type { Progress } from '../reporting/job.js';
import { addCounters } from '../reporting/counters.js';

type Sum = Pick<Progress, 'done' | 'bytes' | 'counters' | 'errors'>;

/** The progress of rounds that overlap, as one. It holds one entry for each batch that is not through. */
export function createRoundsProgress() {
  const open = new Map<string, Progress>();
  let ended: Sum = { done: 0, bytes: 0, counters: {}, errors: {} };
  return {
    /** Takes how far the fetch of a batch has got, in place of what was known of it. */
    add(progress: Progress): void {
      open.set(progress.batchId ?? '', progress);
    },
    /** Over all batches. */
    sum: (): Sum => [...open.values()].reduce(plus, ended),
    /** A batch is through: what is known of it stays in the sum. */
    end(batchId: string): void {
      const last = open.get(batchId);
      open.delete(batchId);
      if (last) ended = plus(ended, last);
    },
  };
}

function plus(sum: Sum, { done, bytes = 0, counters, errors }: Sum): Sum {
  return {
    done: sum.done + done,
    bytes: (sum.bytes ?? 0) + bytes,
    counters: addCounters(sum.counters, counters),
    errors: addCounters(sum.errors, errors),
  };
}
