import { addCounters, createCounts, type Count } from './counters.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Progress, Report } from './job.js';

/** Counts what a job does and reports its progress. */
export type Tracker = ReturnType<typeof createTracker>;

const PROGRESS_INTERVAL = 200;
/** Counters of failures that are counted in many places. */
const FAILURE = /^(failed_.*|plugin_error_.*|damaged|proxy)$/;

/** @param total rows to do, where it is known before */
export function createTracker(
  crawl: Pick<CrawlContext, 'clock' | 'watch'>,
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
  crawl.watch?.(progress);

  return {
    count,
    add,
    /** How far the job has got. */
    progress,
    /** Adds to a counter of what failed. */
    fail: ((name, n) => {
      failures.add(name);
      count(name, n);
    }) as Count,
    /** Adds bytes of a body that was received. */
    received(length: number): void {
      bytes = (bytes ?? 0) + length;
    },
    /** One row more to do than was known. */
    more(): void {
      if (total !== undefined) total += 1;
    },
    /** Rows that are through. */
    done(n = 1): void {
      done += n;
      const now = crawl.clock();
      // A clock that was set back must not silence the progress for long.
      if (!onProgress || (now >= reportedAt && now - reportedAt < PROGRESS_INTERVAL)) return;
      reportedAt = now;
      onProgress(progress());
    },
    /** True once the caller wants the job to end. */
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
