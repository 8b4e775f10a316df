export type { JobOptions, Progress, Report } from './job.js';
export type { CrawlContext, OnPageOption } from './context.js';
export type { BatchOptions } from './batch-rows.js';
export { inject, type InjectOptions } from './inject.js';
export { generate, type GenerateOptions } from './generate.js';
export { fetch, type FetchOptions } from './fetch.js';
export { parse, type ParseOptions } from './parse.js';
export { updatedb } from './updatedb.js';
export { crawl, type CrawlOptions } from './crawl.js';
export { repair } from './repair.js';
export { DUMP_FIELDS, dumpPage, readPages, stats, type PageSelection, type TableStats } from './readdb.js';
export { explain, type ExplainedMark, type ExplainedPage, type Explanation, type ExplainOptions } from './explain.js';
export type { BackoffRecord } from './backoff-record.js';
export type { NextStep } from './explain-next.js';
export type { RobotsExplanation } from './explain-robots.js';
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
