import { addCounters } from './counters.js';
import type { Progress } from './job.js';

/** What all runs of one job have done together. */
export interface JobTotals {
  /** Rows done. */
  readonly done: number;
  /** Bytes of the bodies that were received. */
  readonly bytes: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Those of the counters that say of a row that something failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
}

/** By job: none of the numbers ever gets smaller. */
export type Totals = Readonly<Record<string, JobTotals>>;

/** The totals with how far one more run has got. */
export function plusProgress(totals: Totals, { job, done, bytes = 0, counters, errors }: Progress): Totals {
  const before = totals[job];
  return {
    ...totals,
    [job]: {
      done: (before?.done ?? 0) + done,
      bytes: (before?.bytes ?? 0) + bytes,
      counters: addCounters(before?.counters ?? {}, counters),
      errors: addCounters(before?.errors ?? {}, errors),
    },
  };
}
