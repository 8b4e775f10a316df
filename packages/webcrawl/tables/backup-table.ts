import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import {
  contentOfTable,
  openLevelStore,
  openSharedStore,
  writeBackup,
  type Backup,
  type TableOwner,
} from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { VERSION, defined, realPath } from '../../util/index.js';
import { directoryOf } from '../open-store.js';
import { DEFAULT_TABLE } from '../names.js';
import { checks } from '../options/job-options.js';

/** Options of {@link backupTable}. */
export interface BackupTableOptions {
  /** The location `level:<directory>`. Another process may have the table open. Default: `level:./webcrawl-data`. */
  readonly table?: string;
  /** The folder of the backups, created if it is missing. Each backup is a sub-folder, named by its time in UTC. */
  readonly to: string;
  /** Time to wait for a table that another process uses. Default: 0. */
  readonly waitSeconds?: number;
  /** Called once when the wait for the table begins. */
  readonly onWait?: (owner: TableOwner | undefined) => void;
  /** Ends the backup, and removes its files. */
  readonly signal?: AbortSignal;
  /** The time for the name of the backup, in ms since the epoch. Default: now. */
  readonly now?: number;
}

/**
 * Makes a backup of a table, even while another process works on it. The backup has all rows of one moment, with their bodies. It includes
 * all writes that were acknowledged before the call. Writes to the table wait while its files are linked, which takes less than a second on
 * most disks. The search index is not included, because `index` can rebuild it.
 * @returns undefined if the signal ended the backup
 * @throws CrawlError USAGE for a wrong option, a table without files, or a folder inside the table; BAD_SETTING, NO_TABLE, TABLE_LOCKED,
 * TABLE_DAMAGED, STORE_FULL, STORE_FAILED
 */
export async function backupTable(options: BackupTableOptions): Promise<Backup | undefined> {
  checks.backupTable(options);
  const { table = DEFAULT_TABLE, to, now = Date.now(), signal } = options;
  const directory = directoryOf(table);
  if (directory === undefined) {
    throw new CrawlError('USAGE', 'expected a table with files, found one without: it is in memory, or on HBase', {
      hint: 'for a table on HBase, use the snapshots of HBase',
    });
  }
  if (isWithin(await realPath(to), await realPath(directory))) {
    throw new CrawlError('USAGE', `${to} is in the folder of the table ${directory}`, {
      hint: 'name another folder, best on another disk',
    });
  }
  const staged = join(resolve(directory), await stage(directory, options));
  try {
    return await writeBackup(staged, to, { now, ...(signal && { signal }) });
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

function isWithin(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner !== '..' && !/^\.\.[/\\]/.test(inner) && inner !== path;
}

/** The table is open only while its files are linked, not while they are copied. */
async function stage(directory: string, { waitSeconds, onWait, signal }: BackupTableOptions): Promise<string> {
  const store = await openSharedStore({
    directory,
    open: () => openLevelStore(directory, { create: false }),
    content: () => contentOfTable(directory),
    name: 'backup',
    version: VERSION,
    ...defined({ waitSeconds, onWait, signal }),
  });
  try {
    return await store.stage();
  } finally {
    await store.close();
  }
}
