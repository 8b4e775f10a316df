/**
 * The library for the command, the benchmarks and the tests. It has functions that take an open context, and all names of the layers below.
 * It is not a part of the package: users import the exports of package.json.
 */
export { openContext, type OpenContext, type OpenCrawlOptions } from './open-context.js';
export { openCheckContext, type OpenCheckContext } from './open-check-context.js';
export { jobs, migrate, type RepairReport } from './jobs.js';
export { backupTable, type BackupTableOptions } from './tables/backup-table.js';
export { createTable, type CreatedTable, type CreateTableOptions } from './tables/create-table.js';
export { migrateTable, type MigrateTableOptions } from './tables/migrate-table.js';
export { repairFiles, type RepairFilesOptions } from './tables/repair-files.js';
export type { MigrationReport, RemoveOptions } from '../maintenance/index.js';
export type { DedupOptions, UnmarkedHost } from '../duplicates/index.js';
export * from './satellites.js';
export { auditOutput, auditRules } from './satellites.js';
export { prefixStatistics } from './rules/prefix-statistics.js';
export { rules } from './rules/rules.js';
export * from './names.js';
export { checkRobots } from '../answers/check-robots.js';
export { checkUrl } from '../answers/check-url.js';
export { dumpPage, stats } from '../answers/readdb.js';
export type * from '../answers/public.js';
export type * from '../audit/public.js';
export type * from '../changes/public.js';
export type * from '../export/public.js';
export type * from '../graph/public.js';
export type * from '../hosts/public.js';
export type * from '../rules/public.js';
export type * from '../search/public.js';
export type * from '../serve/public.js';
export type { Indexer } from '../index/index.js';
export type { SearchedCrawl } from './open-search.js';
export type { StatusCrawl } from './status.js';
export type { IdleCrawl, ContinuousCrawlOptions } from './continuous/continuous-crawl.js';
export * from '../../webtable/index.js';
export { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../errors/index.js';
export { VERSION, figures } from '../util/index.js';
export { readableUrl, tryParseUrl } from '../url/index.js';
export {
  describeSettings,
  loadSettings,
  type LoadedSettings,
  type SettingDescription,
  type SettingInputs,
  type Settings,
  type SettingSource,
} from '../../config/index.js';
export * from '../jobs/public.js';
export * from './plugins/public.js';
