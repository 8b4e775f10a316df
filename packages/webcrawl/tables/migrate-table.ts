import type { JobOptions } from '../../jobs/index.js';
import type { MigrationReport } from '../../maintenance/index.js';
import { migrate } from '../jobs.js';
import { checks } from '../options/job-options.js';
import { openContext, type OpenCrawlOptions } from '../open-context.js';

/** Options of {@link migrateTable}. */
export interface MigrateTableOptions extends JobOptions, Pick<OpenCrawlOptions, 'table' | 'waitSeconds' | 'onWait'> {}

/**
 * Migrates a table of an earlier schema version to the present version. `openCrawl` throws TABLE_VERSION for such a table, with a hint. The
 * migration may be stopped or killed at any moment; the next call continues it. Until it has ended, no version of webcrawl opens the table.
 * A table of the present version stays as it is. A table on HBase cannot be migrated.
 * @throws CrawlError USAGE for a wrong option; BAD_SETTING, NO_TABLE, TABLE_LOCKED, TABLE_VERSION for a table that cannot be migrated,
 * TABLE_DAMAGED, STORE_FULL, STORE_FAILED
 */
export async function migrateTable(given: MigrateTableOptions = {}): Promise<MigrationReport> {
  checks.migrateTable(given);
  const { onProgress, ...options } = given;
  await using crawl = await openContext(
    { ...options, name: 'migrate', create: false, alone: true },
    { migrates: true },
  );
  const { signal } = options;
  return await migrate(crawl, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
}
