import { addCounters } from './counters.js';
import type { Progress } from './job.js';

/** The sum over all runs of one job. */
export interface JobTotals {
  /** Number of rows done. */
  readonly done: number;
  /** Bytes of received bodies. */
  readonly bytes: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Number of failures by reason. These numbers are also in `counters`. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The totals of each job since the process opened the table. The numbers only grow. */
export type Totals = Readonly<Record<string, JobTotals>>;

/** The sum of no runs. */
export const NO_TOTALS: JobTotals = { done: 0, bytes: 0, counters: {}, errors: {} };

type Done = Pick<Progress, keyof JobTotals>;

/**
 * Returns the sum of two runs.
 * @param a undefined: zero
 */
export function plusDone(a: Done = NO_TOTALS, b: Done): JobTotals {
  return {
    done: a.done + b.done,
    bytes: (a.bytes ?? 0) + (b.bytes ?? 0),
    counters: addCounters(a.counters, b.counters),
    errors: addCounters(a.errors, b.errors),
  };
}

export function plusProgress(totals: Totals, progress: Progress): Totals {
  return { ...totals, [progress.job]: plusDone(totals[progress.job], progress) };
}

export function plusTotals(a: Totals, b: Totals): Totals {
  return Object.entries(b).reduce((sums, [job, more]) => ({ ...sums, [job]: plusDone(sums[job], more) }), a);
}
