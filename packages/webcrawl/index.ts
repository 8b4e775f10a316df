/**
 * webcrawl: a web crawler that keeps everything it knows about every URL in one sorted table.
 *
 * Open a table with {@link openCrawl}, run {@link jobs} on it, read it with `crawl.page` and `crawl.pages`.
 */
export { DEFAULT_TABLE, openCrawl, type Crawl, type OpenCrawlOptions } from './open-crawl.js';
export { openChecks, type Checks } from './open-checks.js';
export { jobs } from './jobs.js';
export { defaultPlugins } from './default-plugins.js';
export { VERSION } from './version.js';
export {
  COUNTERS,
  DUMP_FIELDS,
  FURTHER_FIELDS,
  MAX_SORTED,
  checkParse,
  checkRobots,
  checkUrl,
  dumpPage,
  explain,
  fetchDocument,
  stats,
  type BackoffRecord,
  type BatchOptions,
  type CheckContext,
  type CheckedLink,
  type CrawlContext,
  type CrawlOptions,
  type ExplainedMark,
  type ExplainedPage,
  type ExplainOptions,
  type Explanation,
  type FetchDocumentOptions,
  type FetchedDocument,
  type FetchOptions,
  type FoundPage,
  type GenerateOptions,
  type InjectOptions,
  type JobOptions,
  type NextStep,
  type PageContent,
  type PageQuery,
  type PageSelection,
  type ParseCheck,
  type ParseOptions,
  type ParseThreads,
  type Progress,
  type RemoveOptions,
  type Report,
  type RobotsCheck,
  type RobotsChecker,
  type RobotsExplanation,
  type TableStats,
  type UrlCheck,
} from '../jobs/index.js';
export { readableUrl } from '../url/index.js';
export { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../errors/index.js';
export {
  describeSettings,
  loadSettings,
  type LoadedSettings,
  type SettingDescription,
  type SettingPlaces,
  type Settings,
  type SettingSource,
} from '../../config/index.js';
export {
  LevelStore,
  STATUSES,
  MemoryStore,
  WebTable,
  openLevelStore,
  rowKeyOf,
  urlOf,
  type BatchHeader,
  type BatchState,
  type Column,
  type ColumnSelector,
  type Field,
  type Inlink,
  type KeyRange,
  type LevelDatabase,
  type LevelStoreOptions,
  type Mark,
  type Outlink,
  type Page,
  type PageChange,
  type PageRow,
  type PageScan,
  type ParseStatus,
  type ProtocolStatus,
  type RowChange,
  type ScanOptions,
  type Status,
  type Store,
  type StoredRow,
  type TableName,
} from '../../webtable/index.js';
export { PARSE_CODES, PROTOCOL_CODES, type ParseCode, type ProtocolCode } from '../plugin-api/index.js';
export type {
  FetchOutcome,
  FetchRequest,
  FetchSchedule,
  ParsedPage,
  ParseInput,
  ParseOutcome,
  Parser,
  Plugin,
  Protocol,
  RobotsDirectives,
  Schedule,
  Score,
  ScoringFilter,
  Signature,
  UrlScope,
  UrlStep,
} from '../plugin-api/index.js';
export { httpProtocol, type HttpExtras } from '../fetch/index.js';
export { htmlParser, textParser } from '../parse/index.js';
export * from '../plugins/index.js';
