import { join } from 'node:path';
import { absolutePath, type Settings } from '../../config/index.js';
import {
  MemoryStore,
  contentOfTable,
  openLevelStore,
  openSharedStore,
  type ContentStore,
  type SharedStoreOptions,
  type Store,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { VERSION } from '../util/index.js';
import { DEFAULT_TABLE } from './names.js';
import type { OpenCrawlOptions } from './open-context.js';

/**
 * Opens the store of a table. A store that the caller passed in is returned unchanged.
 * @param offered what this process does for other processes while it has the table open
 */
export async function openStore(
  options: OpenCrawlOptions,
  offered: Pick<SharedStoreOptions, 'status' | 'verbs'>,
): Promise<Store> {
  const { table = DEFAULT_TABLE, create = true, alone = false, yields = false, name = 'a service' } = options;
  if (typeof table !== 'string') return table;
  if (isOnHBase(table)) {
    const { openHBaseStore } = await import('../hbase/index.js');
    return openHBaseStore(table, options.waitSeconds === undefined ? {} : { reachFor: options.waitSeconds * 1000 });
  }
  const directory = directoryOf(table);
  if (directory === undefined) return new MemoryStore();
  // Only for a program that opens the table to read it, and soon closes it.
  const readsFullDisk = !create && !alone && !yields;
  const open = (): Promise<Store> => openLevelStore(directory, { create, readsFullDisk });
  const content = (): ContentStore => contentOfTable(directory);
  return openSharedStore({ ...options, ...offered, directory, open, content, name, version: VERSION });
}

export function isOnHBase(table: string): boolean {
  return /^hbase:/i.test(table);
}

/**
 * Returns the directory of a table on disk; undefined for `memory:` and on HBase. A text without a scheme is a directory too. A text
 * with another scheme is an error. A single letter before the colon is a drive, not a scheme.
 * @throws CrawlError BAD_SETTING
 */
export function directoryOf(table: string): string | undefined {
  if (table === 'memory:' || isOnHBase(table)) return undefined;
  const directory = table.startsWith('level:') ? table.slice('level:'.length) : table;
  const isOther = directory === table && /^[a-z][a-z0-9+.-]+:/i.test(table);
  if (directory !== '' && !isOther) return directory;
  throw new CrawlError(
    'BAD_SETTING',
    `expected a table as level:<directory>, hbase://<gateways>/<namespace>:<prefix> or memory:, found "${safeText(table)}"`,
    {
      hint: `for instance --table ${DEFAULT_TABLE}`,
    },
  );
}

/** Returns the folder of the search index of a table. undefined: the settings name no folder, and the table has no folder either. */
export function indexFolderOf(
  { index }: Settings,
  table: OpenCrawlOptions['table'] = DEFAULT_TABLE,
): string | undefined {
  if (index.path !== '') return index.path;
  const directory = typeof table === 'string' ? directoryOf(table) : undefined;
  return directory === undefined ? undefined : join(absolutePath(directory), 'index');
}
