import type { CrawlContext } from '../context.js';
import { createDueCount, type DueCount } from './due-count.js';
import type { FetchingStatus, JobFailure, JobOptions, Progress, Report } from './job.js';
import { plusProgress, type Totals } from './totals.js';

/** Takes where to ask how far a job has got, and what it fetches. What is left out stays as it was said before. */
export type Watch = (progress: (() => Progress) | undefined, fetching?: () => FetchingStatus) => void;

/** The jobs under way on an open table. */
export interface RunningJobs {
  /** How far each has got, the one that began first in front. */
  progress(): Progress[];
  /** What the jobs have done since the table was opened, those under way included. */
  totals(): Totals;
  /** Those that failed, and are tried again. */
  failing(): JobFailure[];
  /** Notes that a job failed; undefined: that it is through. */
  setFailing(job: string, failure: JobFailure | undefined): void;
  /** Counts the rows that are due, unless it did so just now. */
  due(): Promise<DueCount>;
  /** Runs a job, and calls `onProgress` at least once a second how far it has got. */
  run<O extends JobOptions>(
    job: string,
    options: O | undefined,
    start: (watch: Watch, options: O | undefined) => Promise<Report>,
  ): Promise<Report>;
}

const TICK_MS = 1000;
/** Milliseconds over which the rate is measured. */
const RATE_WINDOW_MS = 10_000;

/** No job is under way. */
export function createRunningJobs(crawl: Pick<CrawlContext, 'tables' | 'clock'>): RunningJobs {
  const running = new Set<() => Progress>();
  /** What is over. */
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
          ...(due && { due: due.count }),
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
          // From a timer it would end the process. It throws again where the job itself calls it, and ends the job.
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

/** The rate of what is counted, per second over the last ten seconds, or since now; it begins anew with another thing. */
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
