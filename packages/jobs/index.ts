export { bodyLimit } from './fetching/body-limit.js';
export type { FetchingStatus, JobOptions, Progress, Report } from './job.js';
export type { CrawlContext, OnPageOption } from './context.js';
export type { BatchOptions } from './batch-rows.js';
export { readSitemap, type SitemapSeeds } from './inject-sitemap.js';
export { inject, type InjectOptions } from './inject.js';
export { generate, type GenerateOptions } from './generate.js';
export { fetch, type FetchOptions } from './fetch.js';
export { parse, type ParseOptions } from './parse.js';
export { updatedb } from './updatedb.js';
export { crawl, type CrawlOptions } from './crawl.js';
export { repair } from './repair.js';
export { remove, type RemoveOptions } from './remove.js';
export { createRunningJobs, type RunningJobs, type Watch } from './running-jobs.js';
export type { DueCount } from './due-count.js';
export type { LastFetch } from './last-fetch.js';
export { ownStatus, type TableStatus } from './status.js';
export { DUMP_FIELDS, FURTHER_FIELDS, dumpPage, stats, type TableStats } from './readdb.js';
export type { PageSelection } from './pages/page-selection.js';
export { MAX_SORTED, readPages, type FoundPage, type PageQuery } from './pages/read-pages.js';
export { explain, type ExplainedMark, type ExplainedPage, type Explanation, type ExplainOptions } from './explain.js';
export type { CrawlScope, ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
export type { BackoffRecord } from './backoff-record.js';
export type { NextStep } from './explain-next.js';
export type { RobotsExplanation } from './explain-robots.js';
export type { AddressExplanation } from './hosts/explain-addresses.js';
export { checkUrl, type CheckContext, type UrlCheck } from './check-url.js';
export { checkRobots, type RobotsCheck, type RobotsChecker } from './check-robots.js';
export { checkParse, type CheckedLink, type ParseCheck } from './check-parse.js';
export { fetchDocument, type FetchDocumentOptions, type FetchedDocument } from './fetch-document.js';
export type { PageContent, ParseResult } from './parse-page.js';
export type { ThreadDraft, ThreadResult } from './parse-messages.js';
export type { ThreadFailure } from './parse-thread.js';
export type { PageDraft } from './parsing/draft.js';
export type { ThreadShare } from './parsing/thread-share.js';
export {
  createParseThreads,
  PARSE_THREAD_ENTRY,
  type ParseThreads,
  type ParseThreadsOptions,
} from './parse-threads.js';
export { COUNTERS, type CounterName } from './counters.js';
