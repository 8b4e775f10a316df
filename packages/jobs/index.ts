export { withRules, type WithRules } from './rules/with-rules.js';
export { bodyLimit } from './requests/body-limit.js';
export type { FetchingStatus, JobFailure, JobOptions, Progress, Report } from './reporting/job.js';
export type { CrawlContext, OnPageOption } from './context.js';
export type { BatchOptions } from './rows/batch-rows.js';
export { readSitemap, type SitemapSeeds } from './inject/inject-sitemap.js';
export { inject, type InjectOptions } from './inject.js';
export { generate, type GenerateOptions } from './generate.js';
export { fetch, type FetchOptions } from './fetch.js';
export { parse, type ParseOptions } from './parse.js';
export { updatedb } from './updatedb.js';
export { crawl, type CrawlOptions } from './crawl.js';
export { injectInScope, type ScopedSeeds } from './rounds/inject-in-scope.js';
export { writeScope } from './scope/stored-scope.js';
export { isAnyDue } from './selection/is-any-due.js';
export { applyRules } from './rule-jobs/apply-rules.js';
export {
  dangerOf,
  mustBeHarmless,
  testRules,
  type RuleDanger,
  type RuleEffect,
  type TestedContradiction,
} from './rule-jobs/test-rules.js';
export { COUNTED_FIELDS, createRuleCounter, type RuleCounter } from './rules/count-rules.js';
export { repair, type RepairOptions } from './repair.js';
export { compact } from './compact.js';
export { remove, type RemoveOptions } from './remove.js';
export { createRunningJobs, type RunningJobs, type Watch } from './reporting/running-jobs.js';
export type { DueCount } from './reporting/due-count.js';
export { ownStatus, type DiskUse, type MemoryUse, type StatusSource, type TableStatus } from './status.js';
export { createSeldom, type Seldom } from './reporting/seldom.js';
export { startWorkerReports, type WorkerStatus } from './reporting/worker-reports.js';
export type { JobTotals, Totals } from './reporting/totals.js';
export { dumpPage, stats, type TableStats } from './readdb.js';
export { DUMP_FIELDS, FURTHER_FIELDS, MAX_SORTED } from './pages/dump-terms.js';
export { selectorOf, type PageSelection, type PageSelector } from './pages/page-selection.js';
export { createTracker, type Tracker } from './reporting/tracker.js';
export { createRowCounts } from './reporting/row-counts.js';
export { withoutOtherJobs } from './rows/without-other-jobs.js';
export { noteDone } from './shards/note-done.js';
export { USUAL_WAIT, hold, inSlots, partOf, type OwnSlots, type ShardOptions } from './shards/own-slots.js';
export { readPages, type FoundPage, type PageQuery } from './pages/read-pages.js';
export { explain, type ExplainedMark, type ExplainedPage, type Explanation, type ExplainOptions } from './explain.js';
export type { CrawlScope, ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
export type { ExplainedRules } from './answers/explain-rules.js';
export type { NextStep } from './answers/explain-next.js';
export type { RobotsExplanation } from './answers/explain-robots.js';
export type { AddressExplanation } from './answers/explain-addresses.js';
export { checkUrl, type CheckContext, type UrlCheck } from './check-url.js';
export { checkRobots, type RobotsCheck, type RobotsChecker } from './answers/check-robots.js';
export { checkParse, type CheckedLink, type ParseCheck } from './answers/check-parse.js';
export { fetchDocument, type FetchDocumentOptions, type FetchedDocument } from './fetch-document.js';
export type { PageContent, ParseResult } from './parsing/parse-page.js';
export type { ParseTerms, ThreadDraft, ThreadResult } from './parsing/parse-messages.js';
export type { ThreadFailure } from './parsing/parse-thread.js';
export type { CutLinks, PageDraft } from './parsing/draft.js';
export type { ThreadShare } from './parsing/thread-share.js';
export {
  createParseThreads,
  PARSE_THREAD_ENTRY,
  type ParseThreads,
  type ParseThreadsOptions,
} from './parsing/parse-threads.js';
export { COUNTERS, type Count, type CounterName, type Counts } from './reporting/counters.js';
