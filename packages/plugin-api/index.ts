export type { Plugin, Signature, UrlScope } from './plugin.js';
export type { FetchAnswer, FetchOutcome, FetchRequest, Protocol } from './protocol.js';
export type {
  AppliedChanges,
  IndexChange,
  IndexDocument,
  IndexEntry,
  IndexFilter,
  IndexTarget,
  IndexWriter,
} from './index-writer.js';
export type { FetchSchedule, Schedule } from './fetch-schedule.js';
export type { CrawledPage, HtmlDocument, OnPage } from './on-page.js';
export type {
  CharsetSource,
  ParsedOutlink,
  ParsedPage,
  ParseInput,
  ParseOutcome,
  Parser,
  RobotsDirectives,
} from './parser.js';
export type { LinkingPage, Score, ScoringFilter } from './scoring-filter.js';
export { applyUrlChain, filterUrl, normalizeUrl, urlSteps, type UrlStepPlugin, type UrlVerdict } from './url-chain.js';
export { linkVerdicts, type LinkVerdicts } from './link-verdicts.js';
export { traceUrl, type UrlStep, type UrlTrace } from './url-trace.js';
export {
  PARSE_CODES,
  PROTOCOL_CODES,
  isPluginError,
  type ParseCode,
  type PluginErrorCode,
  type ProtocolCode,
  type SomeProtocolCodes,
} from './outcome-codes.js';
