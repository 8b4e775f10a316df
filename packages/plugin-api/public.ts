export type * from './plugin.js';
export type { RelevanceFields, RelevanceScores, Rewritten, TableRules, TableRuleSet } from './table-rules.js';
export type * from './protocol.js';
export type * from './index-writer.js';
export type * from './fetch-schedule.js';
export type * from './on-page.js';
export type * from './parser.js';
export type * from './scoring-filter.js';
export type { UrlStep } from './url-trace.js';
export {
  PARSE_CODES,
  PROTOCOL_CODES,
  type ParseCode,
  type PluginErrorCode,
  type ProtocolCode,
} from './outcome-codes.js';
export type {
  CustomFields,
  JsonValue,
  LanguageSource,
  ParseStatus,
  ProtocolStatus,
  TextRange,
} from '../../webtable/index.js';
