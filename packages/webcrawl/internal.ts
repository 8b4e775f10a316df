/**
 * The library for the command, the benchmarks and the tests. It has functions that take an open context, and all names of the layers below.
 * It is not a part of the package: users import `index.ts` and the subpaths.
 */
export { DEFAULT_TABLE } from './names.js';
export { openContext, type OpenContext, type OpenCrawlOptions } from './open-context.js';
export { openCheckContext, type OpenCheckContext } from './open-check-context.js';
export { jobs, migrate, type RepairReport } from './jobs.js';
export { backupTable, type BackupTableOptions } from './tables/backup-table.js';
export { createTable, type CreatedTable, type CreateTableOptions } from './tables/create-table.js';
export { migrateTable, type MigrateTableOptions } from './tables/migrate-table.js';
export { repairFiles, type RepairFilesOptions } from './tables/repair-files.js';
export type { CreatedTables } from '../hbase/index.js';
export type { MigrationReport, RemoveOptions } from '../maintenance/index.js';
export type { DedupOptions, UnmarkedHost } from '../duplicates/index.js';
export * from './doors/answers.js';
export * from './doors/audit.js';
export * from './doors/changes.js';
export * from './doors/export.js';
export * from './doors/graph.js';
export * from './doors/hosts.js';
export * from './doors/rules.js';
export * from './doors/search.js';
export * from './doors/service.js';
export * from '../../webtable/public.js';
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
export * from './subpaths/plugins.js';
