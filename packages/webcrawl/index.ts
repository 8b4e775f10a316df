/**
 * webcrawl: a web crawler that stores all data on every URL in one sorted table.
 *
 * Open a table with {@link openCrawl}. The methods of the object that it returns run jobs, read pages and export them. Parts that few programs
 * need have subpaths of their own: `webcrawl/plugins`, `/export`, `/changes`, `/audit`, `/hosts`, `/graph`, `/rules`, `/search`,
 * `/cluster`, `/store`, `/store-suite`, `/testing`.
 */
export { openCrawl, type Crawl, type CrawlExports, type Report } from './crawl.js';
export type { CrawlRules, RuleEditOptions } from './rules/crawl-rules.js';
export { openChecks, type Checks, type ChecksOfTable } from './checks.js';
export { checkRobots } from '../answers/check-robots.js';
export { backupTable, type BackupTableOptions } from './tables/backup-table.js';
export { migrateTable, type MigrateTableOptions } from './tables/migrate-table.js';
export { repairFiles, type RepairFilesOptions } from './tables/repair-files.js';
export { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../errors/index.js';
export { VERSION } from '../util/index.js';
export { readableUrl, tryParseUrl } from '../url/index.js';
export {
  describeSettings,
  loadSettings,
  type LoadedSettings,
  type SettingDescription,
  type SettingKey,
  type SettingValue,
  type SettingInputs,
  type Settings,
  type PartialSettings,
  type SettingSource,
} from '../../config/index.js';

export type { OpenCrawlOptions } from './open-context.js';
export type { RepairReport } from './jobs.js';
export type { IdleCrawl, ContinuousCrawlOptions } from './continuous/continuous-crawl.js';
export type {
  AwaitedHolder,
  BatchOptions,
  CounterName,
  CountersOfJobs,
  CrawlOptions,
  CrawlScope,
  DueCount,
  FailedOrigin,
  PageOutcome,
  FetchingStatus,
  FetchOptions,
  Findings,
  GenerateOptions,
  InjectOptions,
  JobCounters,
  JobFailure,
  JobName,
  JobOptions,
  JobTotals,
  LargeSection,
  LeaseOptions,
  OnFetched,
  OnFetchedOption,
  OnPageOption,
  PageContent,
  ParseOptions,
  Progress,
  Report as JobReport,
  ShardOptions,
  Totals,
} from '../jobs/index.js';
export type { MigrationReport, RemoveOptions } from '../maintenance/index.js';
export type { DedupOptions, UnmarkedHost } from '../duplicates/index.js';
export type * from '../answers/public.js';
export type * from '../serve/public.js';
export type { PublicField as Field } from '../answers/index.js';
export type {
  BatchHeader,
  BatchState,
  ChunkSize,
  Inlink,
  Outlink,
  Page,
  PageRow,
  Shard,
  Status,
  TableOwner,
} from '../../webtable/index.js';
export type { OnPage, ParsedPage, Plugin } from '../plugin-api/index.js';
