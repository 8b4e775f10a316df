import type { CrawlStatus } from '../source.js';

export interface Sample {
  readonly at: number;
  /** Pages per second. */
  readonly rate: number;
  /** Bytes per second. */
  readonly byteRate: number;
  /** Failed pages per second. */
  readonly errorRate: number;
  readonly due: number;
  readonly memory: number;
}

/** Maximum number of samples, one every {@link SAMPLE_MS}: half an hour. */
const MAX_SAMPLES = 900;
export const SAMPLE_MS = 2_000;
const ERROR_RATE_SAMPLES = 5;

export function createHistory() {
  const samples: Sample[] = [];
  let failures: { readonly at: number; readonly sum: number; readonly since: number }[] = [];

  function errorRate(status: CrawlStatus): number {
    const sum = failedIn(status);
    // When another process has opened the table, earlier numbers are dropped, because the counters begin at 0 again.
    if (failures.some(({ since, sum: before }) => since !== status.since || before > sum)) failures = [];
    failures = [...failures, { at: status.now, sum, since: status.since }].slice(-ERROR_RATE_SAMPLES);
    const first = failures[0]!;
    return status.now > first.at ? ((sum - first.sum) * 1000) / (status.now - first.at) : 0;
  }

  return {
    samples: samples as readonly Sample[],
    add(status: CrawlStatus): void {
      const { now, jobs, due, memory } = status;
      samples.push({
        at: now,
        rate: pageJobs(jobs, status).reduce((sum, { rate = 0 }) => sum + rate, 0),
        byteRate: jobs.reduce((sum, { byteRate = 0 }) => sum + byteRate, 0),
        errorRate: errorRate(status),
        due: due.count,
        memory: memory.resident,
      });
      if (samples.length > MAX_SAMPLES) samples.shift();
    },
  };
}

export type History = ReturnType<typeof createHistory>;

/** The jobs whose figures show the number of processed pages, the best ones first. Other jobs process the same pages again. */
const PAGE_JOBS = [
  ['crawl', 'fetch'],
  ['inject', 'generate', 'parse', 'updatedb'],
] as const;

/**
 * Selects the jobs whose figures show the number of processed pages. These are the jobs that fetch, if one has run since the table was
 * opened; or else the other jobs of the cycle; or else all jobs. With ranking and indexing, pages would be counted twice.
 */
export function pageJobs<T extends { readonly job: string }>(
  jobs: readonly T[],
  { totals }: Pick<CrawlStatus, 'totals'>,
): readonly T[] {
  const names = PAGE_JOBS.find((some) => some.some((job) => job in totals)) as readonly string[] | undefined;
  return names ? jobs.filter(({ job }) => names.includes(job)) : jobs;
}

function failedIn({ totals }: Pick<CrawlStatus, 'totals'>): number {
  return Object.values(totals).reduce(
    (all, { errors }) => all + Object.values(errors).reduce((sum, n) => sum + n, 0),
    0,
  );
}
