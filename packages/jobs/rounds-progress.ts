import type { Progress } from './job.js';
import { addCounters } from './tracker.js';

type Sum = Pick<Progress, 'done' | 'counters'> & { readonly total: number };

/** The progress of rounds that overlap, as one: what they have fetched of all that was selected. */
export interface RoundsProgress {
  /** Takes what the fetch of a batch tells, and returns the sum. */
  tell(progress: Progress): Sum;
  /** A batch is through: what it has told last stays in the sum. */
  end(batchId: string): void;
}

/** Starts with nothing; it holds one entry for each batch that is not through. */
export function createRoundsProgress(): RoundsProgress {
  const open = new Map<string, Progress>();
  let ended: Sum = { done: 0, total: 0, counters: {} };
  const sum = (): Sum => [...open.values()].reduce(plus, ended);
  return {
    tell(progress) {
      open.set(progress.batchId ?? '', progress);
      return sum();
    },
    end(batchId) {
      const last = open.get(batchId);
      open.delete(batchId);
      if (last) ended = plus(ended, last);
    },
  };
}

function plus(sum: Sum, { done, total = done, counters }: Progress): Sum {
  return { done: sum.done + done, total: sum.total + total, counters: addCounters(sum.counters, counters) };
}
