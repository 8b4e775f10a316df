import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SharedStore, type Holder } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { INDEX_FILE, openIndexReader } from '../index/index.js';
import { ownStatus, type CrawlContext, type TableStatus } from '../jobs/index.js';
import type { Searcher } from '../search/index.js';
import type { Crawl } from './open-crawl.js';

/** The search index of a table, in a status. */
export interface IndexUse {
  /** Pages that it finds. */
  readonly documents: number;
  /** Bytes on the disk. */
  readonly bytes: number;
  /** When it was last changed, in ms since the epoch. */
  readonly changedAt: number;
}

/** How large an index is; undefined where there is none, or none that can be used now. */
export async function indexUseOf(searcher: Pick<Searcher, 'info'>): Promise<IndexUse | undefined> {
  try {
    const { documents, bytes, changedAt } = await searcher.info();
    return { documents, bytes, changedAt };
  } catch (error) {
    if (error instanceof CrawlError) return undefined;
    throw error;
  }
}

/** The same of a table, for whoever asks once. */
async function readIndexUse(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>,
): Promise<IndexUse | undefined> {
  const { indexFolder } = crawl;
  if (indexFolder === undefined || !existsSync(join(indexFolder, INDEX_FILE))) return undefined;
  // No words: they would take longer to load than all else.
  const reader = openIndexReader({ folder: indexFolder, table: await crawl.tables.id() });
  try {
    return await indexUseOf(reader);
  } finally {
    await reader.close();
  }
}

/** What goes on at a table, and in which process. */
export interface CrawlStatus extends TableStatus {
  /** The other process that has the table open; absent where this one has. */
  readonly holder?: Holder;
  /** The search index; absent where there is none. */
  readonly index?: IndexUse;
}

/** What a status is read of. */
export type StatusCrawl = Pick<
  Crawl,
  'tables' | 'settings' | 'clock' | 'running' | 'since' | 'diskUse' | 'holder' | 'indexFolder'
>;

/** What goes on at a table, also where another process has it open; it costs that process next to nothing. */
export async function status(crawl: StatusCrawl): Promise<CrawlStatus> {
  return statusWith(crawl, () => readIndexUse(crawl));
}

/** The same for whoever asks often, and keeps the index open. */
export async function statusWith(
  crawl: StatusCrawl,
  indexUse: () => Promise<IndexUse | undefined>,
): Promise<CrawlStatus> {
  const { store } = crawl.tables;
  const index = await indexUse();
  const remote = store instanceof SharedStore ? ((await store.remoteStatus()) as TableStatus | undefined) : undefined;
  const { holder } = crawl;
  return {
    ...(remote ?? (await ownStatus(crawl))),
    ...(remote && holder && { holder }),
    ...(index && { index }),
  };
}
