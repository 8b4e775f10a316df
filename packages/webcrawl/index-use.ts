import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlError } from '../errors/index.js';
import { INDEX_FILE } from '../index/index.js';
import type { CrawlContext } from '../jobs/index.js';
import type { Searcher } from '../search/index.js';
import { openSearch } from './open-search.js';

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
export async function readIndexUse(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>,
): Promise<IndexUse | undefined> {
  const { indexFolder } = crawl;
  if (indexFolder === undefined || !existsSync(join(indexFolder, INDEX_FILE))) return undefined;
  const searcher = await openSearch(crawl);
  try {
    return await indexUseOf(searcher);
  } finally {
    await searcher.close();
  }
}
