/** The parts of this folder that are in the public API of the library. */
export * from './rules/rules-now.js';
export { bodyLimit } from './requests/body-limit.js';
export type { FailedOrigin, Findings, LargeSection } from './reporting/findings.js';
export type * from './reporting/job.js';
export type {
  CheckContext,
  CrawlContext,
  JobContext,
  ScopedCrawl,
  PageOutcome,
  OnFetched,
  OnFetchedOption,
  OnPageOption,
} from './context.js';
export type { BatchOptions } from './rows/batch-rows.js';
export * from './inject/inject-sitemap.js';
export type { InjectOptions } from './inject.js';
export type { GenerateOptions } from './generate.js';
export type { FetchOptions } from './fetch.js';
export type { ParseOptions } from './parse.js';
export type { CrawlOptions } from './crawl.js';
export type { AwaitedHolder } from './rounds/worker.js';
export type { RunningJobs, Watch } from './reporting/running-jobs.js';
export type { DueCount } from './reporting/due-count.js';
export type { WorkerStatus } from './reporting/worker-reports.js';
export type { JobTotals, Totals } from './reporting/totals.js';
export type { JobSlots, LeaseOptions, ShardOptions } from './shards/job-slots.js';
export type { CrawlScope, ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
export type { PageContent, ParseResult } from './parsing/parse-page.js';
export type { ParseTerms, ThreadResult } from './parsing/parse-messages.js';
export type { ThreadFailure } from './parsing/parse-thread.js';
export type { ParseThreads } from './parsing/parse-threads.js';
export {
  COUNTERS,
  type Count,
  type CounterName,
  type Counts,
  type CountersOfJobs,
  type JobCounters,
  type JobName,
} from './reporting/counters.js';
