import { repairLevelFiles, type FileRepair } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { directoryOf } from '../open-store.js';
import { DEFAULT_TABLE } from '../names.js';
import { checks } from '../options/job-options.js';

/** Options of {@link repairFiles}. */
export interface RepairFilesOptions {
  /** The location `level:<directory>` of a table that no process has open. Default: `level:./webcrawl-data`. */
  readonly table?: string;
  /** true: nothing is changed, and the result describes what a repair would do. Default: true. */
  readonly dryRun?: boolean;
}

/**
 * Repairs the files of a damaged table as far as they can be read. First it copies the files with rows into a folder inside the table. Use
 * it for a table that cannot be opened, and then run `jobs.repair`, which rebuilds the indexes.
 * @throws CrawlError USAGE for a wrong option, or a table without files; BAD_SETTING, NO_TABLE, TABLE_LOCKED, STORE_FULL, STORE_FAILED;
 * TABLE_DAMAGED if no row can be saved
 */
export async function repairFiles(options: RepairFilesOptions = {}): Promise<FileRepair> {
  checks.repairFiles(options);
  const { table = DEFAULT_TABLE, dryRun = true } = options;
  const directory = directoryOf(table);
  if (directory === undefined)
    throw new CrawlError('USAGE', 'expected a table with files, found one without: it is in memory, or on HBase');
  return repairLevelFiles(directory, { dryRun });
}
