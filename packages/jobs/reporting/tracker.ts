import type { Count } from './counters.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Progress, Report } from './job.js';

/** Counts what a job does and reports its progress. */
export interface Tracker {
  /** Adds to a counter. */
  readonly count: Count;
  /** The same for what failed. */
  readonly fail: Count;
  /** Adds the counters of another report, each with a prefix where one is given. */
  add(counters: Report['counters'], prefix?: string): void;
  /** One row more to do than was known. */
  more(): void;
  /** Rows that are through. */
  done(n?: number): void;
  /** True once the caller wants the job to end. */
  readonly aborted: boolean;
  /** How far the job has got. */
  progress(): Progress;
  report(batchId?: string): Report;
}

const PROGRESS_INTERVAL = 200;
/** Counters of failures that are counted in many places. */
const FAILURE = /^(failed_.*|plugin_error_.*|damaged|proxy)$/;

/** @param total rows to do, where it is known before */
export function createTracker(
  crawl: Pick<CrawlContext, 'clock' | 'watch'>,
  job: string,
  { signal, onProgress }: JobOptions,
  start: { batchId?: string; total?: number } = {},
): Tracker {
  const counters: Record<string, number> = {};
  const failures = new Set<string>();
  const began = crawl.clock();
  let reportedAt = began;
  let done = 0;
  let total = start.total;

  const add = (name: string, n: number): void => {
    if (n !== 0) counters[name] = (counters[name] ?? 0) + n;
  };
  const progress = (): Progress => ({
    job,
    ...start,
    ...(total !== undefined && { total }),
    done,
    counters: { ...counters },
    errors: Object.fromEntries(
      Object.entries(counters).filter(([reason]) => failures.has(reason) || FAILURE.test(reason)),
    ),
  });
  crawl.watch?.(progress);

  return {
    count: (name, n = 1) => add(name, n),
    progress,
    fail(name, n = 1) {
      failures.add(name);
      add(name, n);
    },
    add(others, prefix = '') {
      for (const [name, n] of Object.entries(others)) add(prefix + name, n);
    },
    more() {
      if (total !== undefined) total += 1;
    },
    done(n = 1) {
      done += n;
      const now = crawl.clock();
      // A clock that was set back must not silence the progress for long.
      if (!onProgress || (now >= reportedAt && now - reportedAt < PROGRESS_INTERVAL)) return;
      reportedAt = now;
      onProgress(progress());
    },
    get aborted() {
      return signal?.aborted ?? false;
    },
    report(batchId = start.batchId) {
      onProgress?.(progress());
      return {
        job,
        ...(batchId !== undefined && { batchId }),
        seconds: Math.max(0, crawl.clock() - began) / 1000,
        counters: addCounters(counters),
        ...(signal?.aborted && { interrupted: true }),
      };
    },
  };
}

/** The sums of counters, in order of their names. */
export function addCounters(...all: readonly Report['counters'][]): Report['counters'] {
  const sums: Record<string, number> = {};
  for (const counters of all)
    for (const [reason, n] of Object.entries(counters)) sums[reason] = (sums[reason] ?? 0) + n;
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}
