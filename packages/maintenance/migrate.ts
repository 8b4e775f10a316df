import { createTracker, inAllSlots, type JobContext, type JobOptions, type Report } from '../core/index.js';

/** The report of {@link migrate}. */
export interface MigrationReport extends Report {
  /**
   * The schema version of the table before the migration. If it equals `to`, nothing had to be done. Absent if the job was stopped before
   * it began.
   */
  readonly from?: number;
  /** The schema version to which the job migrates. The table has this version once the migration is complete. */
  readonly to?: number;
}

/**
 * Migrates a table with an earlier schema version to the present version. It moves texts, links and headers of pages to records beside the
 * bodies, replaces MD5 signatures by the SHA-1 of bodies, closes all batches, and writes the indexes again from the rows. It may be killed at any time and run again. The table cannot be
 * opened for other work until the migration has ended. Counters: `COUNTERS.migrate`.
 * @throws CrawlError TABLE_VERSION for a table on HBase
 */
export function migrate(crawl: JobContext, options: JobOptions = {}): Promise<MigrationReport> {
  return inAllSlots(crawl, 'migrate', options, async (_, how) => {
    const tracker = createTracker(crawl, 'migrate', how);
    const versions = await crawl.tables.migrate(tracker);
    return { ...tracker.report(), ...versions };
  });
}
