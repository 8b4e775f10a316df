/** The types that the library gives to its users. */
export type { DiskUse, MemoryUse, TableStatus } from './status.js';
export type { TableStats } from './readdb.js';
export type { SortField, SortOrder } from './pages/dump-terms.js';
export type { PageSelection } from './pages/page-selection.js';
export type { FoundPage, PageQuery } from './pages/read-pages.js';
export type { ExplainedMark, ExplainedPage, Explanation, ExplainOptions } from './explain/explain.js';
export type { ExplainedRules } from './explain/explain-rules.js';
export type { NextStep } from './explain/explain-next.js';
export type { RobotsExplanation } from './explain/explain-robots.js';
export type { AddressExplanation } from './explain/explain-addresses.js';
export type { UrlCheck } from './check-url.js';
export type { RobotsCheck, RobotsChecker } from './check-robots.js';
export type { CheckedLink, ParseCheck } from './check-parse.js';
export type { FetchDocumentOptions, FetchedDocument } from './fetch-document.js';
