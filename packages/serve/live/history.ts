import type { CrawlStatus } from '../source.js';

/** The figures that are drawn, of one moment. */
export interface Sample {
  /** In ms since the epoch. */
  readonly at: number;
  /** Pages per second. */
  readonly rate: number;
  /** Bytes per second. */
  readonly byteRate: number;
  /** Pages that failed per second. */
  readonly errorRate: number;
  readonly due: number;
  /** Bytes of memory. */
  readonly memory: number;
}

/** Samples that are kept, one every {@link SAMPLE_MS}: half an hour of them. */
const MAX_SAMPLES = 900;
export const SAMPLE_MS = 2_000;
/** Samples over which the rate of errors is measured. */
const WINDOW = 5;

/** What the figures were, in a ring of bounded length. */
export function createHistory() {
  const samples: Sample[] = [];
  let failures: { readonly at: number; readonly sum: number; readonly since: number }[] = [];

  function errorRate(status: CrawlStatus): number {
    const sum = failedIn(status);
    // Another process has the table, and counts from the start.
    if (failures.some(({ since, sum: before }) => since !== status.since || before > sum)) failures = [];
    failures = [...failures, { at: status.now, sum, since: status.since }].slice(-WINDOW);
    const first = failures[0]!;
    return status.now > first.at ? ((sum - first.sum) * 1000) / (status.now - first.at) : 0;
  }

  return {
    /** Oldest first. */
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

/** As {@link createHistory} makes it. */
export type History = ReturnType<typeof createHistory>;

/** The jobs that pages go through, the best measure first. Others go through pages that these have counted. */
const PAGE_JOBS = [
  ['crawl', 'fetch'],
  ['inject', 'generate', 'parse', 'updatedb'],
] as const;

/**
 * Of several jobs those that figures of pages are of: those that fetch, where one has since the table was opened, else those of the cycle,
 * else all. Ranks and index go through the same pages, and would count them twice.
 */
export function pageJobs<T extends { readonly job: string }>(
  jobs: readonly T[],
  { totals }: Pick<CrawlStatus, 'totals'>,
): readonly T[] {
  const names = PAGE_JOBS.find((some) => some.some((job) => job in totals)) as readonly string[] | undefined;
  return names ? jobs.filter(({ job }) => names.includes(job)) : jobs;
}

/** Pages that failed since the table was opened, over all jobs. */
export function failedIn({ totals }: Pick<CrawlStatus, 'totals'>): number {
  return Object.values(totals).reduce(
    (all, { errors }) => all + Object.values(errors).reduce((sum, n) => sum + n, 0),
    0,
  );
}
