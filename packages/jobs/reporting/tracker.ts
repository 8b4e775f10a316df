import { addCounters, createCounts, type Count } from './counters.js';
import type { JobContext } from '../context.js';
import type { JobOptions, Progress, Report } from './job.js';

/** Counts the results of a job and reports its progress. */
export type Tracker = ReturnType<typeof createTracker>;

const PROGRESS_INTERVAL = 200;
/** The names of counters that always count failures. */
const FAILURE = /^(failed_.*|plugin_error_.*|damaged|proxy)$/;

/** @param start the id of the batch and the number of rows, if they are known at the start */
export function createTracker(
  crawl: Pick<JobContext, 'clock' | 'watch'>,
  job: string,
  { signal, onProgress }: JobOptions,
  start: { batchId?: string; total?: number } = {},
) {
  const { all, count, add } = createCounts();
  const failures = new Set<string>();
  const began = crawl.clock();
  let reportedAt = began;
  let done = 0;
  let bytes: number | undefined;
  let total = start.total;

  const progress = (): Progress => ({
    job,
    ...start,
    ...(total !== undefined && { total }),
    done,
    ...(bytes !== undefined && { bytes }),
    counters: { ...all },
    errors: Object.fromEntries(Object.entries(all).filter(([reason]) => failures.has(reason) || FAILURE.test(reason))),
  });
  crawl.watch(progress);

  return {
    count,
    add,
    progress,
    /** Adds to a counter, and marks it as a counter of failures. */
    fail: ((name, n) => {
      failures.add(name);
      count(name, n);
    }) as Count,
    /** Adds the length of a received body in bytes. */
    received(length: number): void {
      bytes = (bytes ?? 0) + length;
    },
    /** Adds one row to the total number of rows. */
    more(): void {
      if (total !== undefined) total += 1;
    },
    /** Records that rows are done, and reports the progress from time to time. */
    done(n = 1): void {
      done += n;
      const now = crawl.clock();
      // `now` is before `reportedAt` if the clock was set back. Then progress is reported at once.
      if (!onProgress || (now >= reportedAt && now - reportedAt < PROGRESS_INTERVAL)) return;
      reportedAt = now;
      onProgress(progress());
    },
    /** Whether the caller wants the job to end. */
    get aborted(): boolean {
      return signal?.aborted ?? false;
    },
    report(batchId = start.batchId): Report {
      onProgress?.(progress());
      return {
        job,
        ...(batchId !== undefined && { batchId }),
        seconds: Math.max(0, crawl.clock() - began) / 1000,
        counters: addCounters(all),
        ...(signal?.aborted && { interrupted: true }),
      };
    },
  };
}
