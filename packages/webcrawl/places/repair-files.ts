import { repairLevelFiles, type FileRepair } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { directoryOf } from '../open-crawl.js';
import { DEFAULT_TABLE } from '../names.js';

/** What {@link repairFiles} takes. */
export interface RepairFilesOptions {
  /** `level:<directory>`, of a table that nothing has open. Default: `level:./webcrawl-data`. */
  readonly table?: string;
  /** true: nothing is changed, and the answer says what would be done. Default: true. */
  readonly dryRun?: boolean;
}

/**
 * Puts the files of a damaged table right as far as they can be read, after a copy of all of them was made in its folder.
 * It takes a table that cannot be opened; run `jobs.repair` on it afterwards, which rebuilds the indexes.
 * @throws CrawlError USAGE for a table that has no files of its own, BAD_SETTING, NO_TABLE, TABLE_LOCKED, STORE_FULL, STORE_FAILED;
 *   TABLE_DAMAGED where no row is left to save
 */
export async function repairFiles({
  table = DEFAULT_TABLE,
  dryRun = true,
}: RepairFilesOptions = {}): Promise<FileRepair> {
  const directory = directoryOf(table);
  if (directory === undefined)
    throw new CrawlError('USAGE', 'expected a table with files, found one without: it is in memory, or on HBase');
  return repairLevelFiles(directory, { dryRun });
}
