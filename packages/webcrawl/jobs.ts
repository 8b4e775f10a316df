import { SharedStore } from '../../webtable/index.js';
import {
  crawl,
  fetch,
  generate,
  inject,
  parse,
  updatedb,
  type Counts,
  jobContext,
  type CrawlContext,
  type CrawlOptions,
  type JobContext,
  type RuleSteps,
  type JobOptions,
  type Report,
} from '../jobs/index.js';
import { CrawlError, type ErrorCode } from '../errors/index.js';
import { defined } from '../util/index.js';
import { late } from './late.js';
import { checks } from './options/job-options.js';
import { createRetry } from './retry.js';

// Only some tables and users need these jobs, so each is loaded when it is first called.
const { compact, remove, repair } = late(() => import('../maintenance/index.js'), 'compact', 'remove', 'repair');
const { rank } = late(() => import('../graph/index.js'), 'rank');
const { dedup } = late(() => import('../duplicates/index.js'), 'dedup');
const { index, forgetIndex, repairIndex } = late(
  () => import('../index/index.js'),
  'index',
  'forgetIndex',
  'repairIndex',
);
const { propose } = late(() => import('../focus/index.js'), 'propose');

type Job = (crawl: JobContext, options: never) => Promise<Report>;
type AnyJob = (crawl: JobContext, options?: JobOptions) => Promise<Report>;
/** A job as callers see it: they give the open crawl. */
export type Started<J> = J extends (crawl: never, ...given: infer A) => infer R
  ? (crawl: CrawlContext, ...given: A) => R
  : never;
type AnyStarted = Started<AnyJob>;

const around = <J>(job: J, wrap: (run: AnyStarted) => AnyStarted): J =>
  wrap(job as unknown as AnyStarted) as unknown as J;

/** Wraps a job. If the signal aborts before the job begins, the job only reports that it was interrupted. */
function stoppable(name: string, job: AnyJob): AnyJob {
  return async (crawl, options) => {
    try {
      return await job(crawl, options);
    } catch (error) {
      const signal = options?.signal;
      if (!signal?.aborted || error !== signal.reason) throw error;
      return { job: name, seconds: 0, counters: {}, interrupted: true };
    }
  };
}

/** Wraps a job: other processes can see its progress. */
export function watched<J extends Job>(name: string, job: J): Started<J> {
  const run = stoppable(name, job as unknown as AnyJob);
  const started: AnyStarted = (crawl, options) => start(name, crawl, options, run);
  return started as unknown as Started<J>;
}

/** Starts a job, so that other processes see its progress. */
export const start = <O extends JobOptions, R>(
  name: string,
  crawl: CrawlContext,
  options: O | undefined,
  job: (crawl: JobContext, options: O | undefined) => Promise<R>,
): Promise<R> => crawl.running.run(name, options, (watch, options) => job(jobContext(crawl, watch), options));

/** Wraps a job: it begins only if its options are valid. */
export function checked<J extends Started<Job>>(check: (options: unknown) => void, job: J): J {
  return around(job, (run) => async (crawl, options) => {
    check(options === undefined ? {} : options);
    return run(crawl, options);
  });
}

/**
 * Runs a task while the table is open in this process. The table is not yielded to another process before the task ends.
 * @throws CrawlError TABLE_LOCKED when another process has the table open
 */
export function withoutYielding<T>({ tables: { store } }: CrawlContext, task: () => Promise<T>): Promise<T> {
  return store instanceof SharedStore ? store.withoutYielding(task) : task();
}

/** Wraps a job that needs exclusive access to the table. It throws TABLE_LOCKED when another process has the table open. */
function alone<J extends Job>(name: string, job: J): Started<J> {
  return around(watched(name, job), (run) => (crawl, options) => withoutYielding(crawl, () => run(crawl, options)));
}

/**
 * Wraps a job. After the job, a compaction runs if more than half of the stored bytes, and at least 16 MB, are unreferenced. It runs after
 * the job because a compaction needs exclusive access to the table. If many workers share the table, nothing is compacted here; use the job
 * `compact`.
 */
function thenCompact<J extends Job>(job: J): J {
  const run = job as unknown as AnyJob;
  const both: AnyJob = async (crawl, options = {}) => {
    const report = await run(crawl, options);
    const { signal, onProgress } = options;
    const { workers, content } = crawl.tables;
    if (signal?.aborted || workers || !(await content.isMostlyDead())) return report;
    const { seconds, counters } = await compact(jobContext(crawl), defined({ signal, onProgress }));
    const all: Record<string, number> = { ...report.counters };
    for (const [name, n] of Object.entries(counters)) all[`compact_${name}`] = n;
    return { ...report, seconds: report.seconds + seconds, counters: all };
  };
  return both as unknown as J;
}

/** Proposes rules and adds them. If rules are changed while it works, it adds no rule, and the next call tries again. */
async function proposeRules(crawl: CrawlContext, options: Pick<JobOptions, 'signal'>): Promise<Counts> {
  const { directory } = crawl.tables;
  try {
    const found = await propose(jobContext(crawl), {
      ...options,
      apply: true,
      ...(directory !== undefined && { folder: directory }),
    });
    return found.counters;
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'STALE_PROPOSAL') return { stale: 1 };
    throw error;
  }
}

/** Makes the function that applies `www` rules that were not applied yet. Its code is loaded only if the table has rules. */
function applyingRules(crawl: CrawlContext): RuleSteps['apply'] {
  let applyIfDue: RuleSteps['apply'] | undefined;
  return async (options) => {
    if (!(await crawl.rules.current()).version) return undefined;
    applyIfDue ??= (await import('../focus/index.js')).createApplyIfDue(crawl);
    return applyIfDue(options);
  };
}

/**
 * A crawl that continues if the proposal of rules fails, for example because the disk is full. The failure is reported until a proposal
 * succeeds, or the crawl ends.
 */
async function crawlAndPropose(given: JobContext, options: CrawlOptions): Promise<Report> {
  const retry = createRetry('rules propose', given);
  const tryToPropose = async (how: Pick<JobOptions, 'signal'>): Promise<Counts> => {
    try {
      const counts = await proposeRules(given, how);
      retry.succeeded();
      return counts;
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      retry.failed(error);
      return { failed: 1 };
    }
  };
  try {
    return await crawl(given, options, { propose: tryToPropose, apply: applyingRules(given) });
  } finally {
    retry.succeeded();
  }
}

/** The result of `repair`. */
export interface RepairReport extends Report {
  /** Why the search index could not be repaired, with a hint. The table is repaired; `webcrawl index` rebuilds the index. */
  readonly indexProblem?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

/** Repairs the indexes of the table, and then the search index if there is one. */
async function repairAll(crawl: JobContext, options: JobOptions = {}): Promise<RepairReport> {
  const report = await repair(crawl, options);
  let found: Report | undefined;
  try {
    found = report.interrupted ? undefined : await repairIndex(crawl, options);
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error;
    const { code, message, hint } = error;
    return { ...report, indexProblem: { code, message, ...(hint !== undefined && { hint }) } };
  }
  if (!found) return report;
  const differences = Object.fromEntries(Object.entries(found.counters).filter(([, count]) => count > 0));
  return {
    ...report,
    seconds: report.seconds + found.seconds,
    counters: { ...report.counters, ...differences },
    ...(found.interrupted && { interrupted: true }),
  };
}

/** Migrates a table to the present schema version. Its context must be opened with `migrates`. */
export const migrate = alone('migrate', late(() => import('../maintenance/index.js'), 'migrate').migrate);

/** The jobs, each `(crawl, options) => Promise<Report>`. Each throws CrawlError USAGE for an option that is unknown or wrong. */
export const jobs = {
  inject: checked(checks.inject, watched('inject', inject)),
  generate: checked(checks.generate, alone('generate', generate)),
  fetch: checked(checks.fetch, alone('fetch', thenCompact(fetch))),
  parse: checked(checks.parse, alone('parse', parse)),
  updatedb: checked(checks.updatedb, alone('updatedb', updatedb)),
  crawl: checked(checks.crawl, alone('crawl', thenCompact(crawlAndPropose))),
  index: checked(checks.index, alone('index', index)),
  forgetIndex: checked(checks.forgetIndex, alone('index', forgetIndex)),
  repair: checked(checks.repair, alone('repair', repairAll)),
  compact: checked(checks.compact, alone('compact', compact)),
  remove: checked(checks.remove, alone('remove', remove)),
  rank: checked(checks.rank, alone('rank', rank)),
  dedup: checked(checks.dedup, alone('dedup', dedup)),
} as const;
