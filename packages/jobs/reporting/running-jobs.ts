import type { CrawlContext } from '../context.js';
import { createDueCount, type DueCount } from './due-count.js';
import type { FetchingStatus, JobFailure, JobOptions, Progress, Report } from './job.js';
import { plusProgress, type Totals } from './totals.js';

/** Sets the functions that return the progress and the requests of a job. If a function is omitted, the previous one stays. */
export type Watch = (progress: (() => Progress) | undefined, fetching?: () => FetchingStatus) => void;

/** The running jobs on an open table. */
export interface RunningJobs {
  /** The progress of each running job, in the order in which the jobs started. */
  progress(): Progress[];
  /** The totals of all jobs since the table was opened, including running jobs. */
  totals(): Totals;
  /** The jobs that failed and are retried. */
  failing(): JobFailure[];
  /** Records that a job has failed. If `failure` is undefined, it records that the job has succeeded. */
  setFailing(job: string, failure: JobFailure | undefined): void;
  /** Returns the number of due rows. They are counted again if the last count is too old. */
  due(): Promise<DueCount>;
  /** Runs a job, and calls `onProgress` at least once a second. */
  run<O extends JobOptions, R = Report>(
    job: string,
    options: O | undefined,
    start: (watch: Watch, options: O | undefined) => Promise<R>,
  ): Promise<R>;
}

const TICK_MS = 1000;
/** Milliseconds over which the rate is measured. */
const RATE_WINDOW_MS = 10_000;

/** Creates the list of running jobs, which is empty. */
export function createRunningJobs(crawl: Pick<CrawlContext, 'tables' | 'clock'>): RunningJobs {
  const running = new Set<() => Progress>();
  let ended: Totals = {};
  const failing = new Map<string, JobFailure>();
  const dueCount = createDueCount(crawl);
  return {
    progress: () => [...running].map((progress) => progress()),
    totals: () => [...running].reduce((sum, progress) => plusProgress(sum, progress()), ended),
    failing: () => [...failing.values()],
    setFailing(job, failure) {
      if (failure) failing.set(job, failure);
      else failing.delete(job);
    },
    due: dueCount.count,
    async run(job, options, start) {
      const began = performance.now();
      const rate = createRate();
      const byteRate = createRate();
      let read = (): Progress => ({ job, done: 0, counters: {}, errors: {} });
      let fetching: (() => FetchingStatus) | undefined;
      const progress = (): Progress => {
        const reported = read();
        const due = job === 'crawl' ? dueCount.last : undefined;
        const what = `${reported.job} ${reported.batchId}`;
        return {
          ...reported,
          seconds: (performance.now() - began) / 1000,
          rate: rate(what, reported.done),
          ...(reported.bytes !== undefined && { byteRate: byteRate(what, reported.bytes) }),
          ...(due && { toGo: (reported.toGo ?? 0) + due.count }),
          ...(fetching && { fetching: fetching() }),
        };
      };
      const onProgress = options?.onProgress;
      const tick = (): void => {
        const now = progress();
        if (!onProgress) return;
        if (job === 'crawl') dueCount.refresh();
        try {
          onProgress(now);
        } catch {
          // The error is ignored here, because an error in a timer would end the process. The job itself calls `onProgress` too, and ends
          // with its error.
        }
      };
      const timer = setInterval(tick, TICK_MS);
      timer.unref();
      running.add(progress);
      try {
        const watch: Watch = (newRead, newFetching) => {
          if (newRead) ended = plusProgress(ended, read());
          read = newRead ?? read;
          fetching = newFetching ?? fetching;
        };
        return await start(
          watch,
          options && { ...options, ...(onProgress && { onProgress: () => onProgress(progress()) }) },
        );
      } finally {
        running.delete(progress);
        ended = plusProgress(ended, read());
        clearInterval(timer);
      }
    },
  };
}

/**
 * Returns a function that computes the rate of a count per second. It measures over the last ten seconds, or since the first call. When
 * `what` changes, the measurement starts again.
 */
function createRate(): (what: string, done: number) => number {
  let last: string | undefined;
  let samples = [{ at: performance.now(), done: 0 }];
  return (what, done) => {
    const at = performance.now();
    if (last !== undefined && what !== last) samples = [];
    last = what;
    if (samples.length === 0 || at - samples.at(-1)!.at >= TICK_MS / 5) samples.push({ at, done });
    while (samples.length > 2 && at - samples[1]!.at > RATE_WINDOW_MS) samples.shift();
    const first = samples[0]!;
    return at > first.at ? ((done - first.done) * 1000) / (at - first.at) : 0;
  };
}
