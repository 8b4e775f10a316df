import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SharedStore } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { INDEX_FILE } from '../index/index.js';
import { ownStatus, type CrawlContext, type TableStatus } from '../jobs/index.js';
import { deadline } from '../util/index.js';
import type { Searcher } from '../search/index.js';
import type { CrawlStatus } from '../serve/index.js';
import type { Crawl } from './open-crawl.js';
import { openReader } from './open-search.js';

/** Where an index is. */
type IndexedCrawl = Pick<CrawlContext, 'settings' | 'indexFolder'>;

/** What a status says of the index. */
export type IndexState = Pick<CrawlStatus, 'index' | 'indexProblem'>;

/** Makes the function that says how large an index is, or why one that is there cannot be used. */
export function createIndexUse(searcher: Pick<Searcher, 'info'>, crawl: IndexedCrawl): () => Promise<IndexState> {
  let last: IndexState = {};
  return async () => {
    try {
      const { documents, bytes, changedAt } = await searcher.info();
      last = { index: { documents, bytes, changedAt } };
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      const { code, hint } = error;
      // Where too many ask, it is as it was.
      if (code === 'SEARCH_BUSY') return last;
      last = isThere(crawl) ? { indexProblem: { code, ...(hint !== undefined && { hint }) } } : {};
    }
    return last;
  };
}

/** Milliseconds for which figures wait for those of the index. */
const PATIENCE_MS = 1_000;

/**
 * Makes a reader that has an answer after a second at the latest: the last one, where there is no newer. While a question is late, nobody
 * waits for it.
 * @param first the answer before there is any
 * @param patience milliseconds
 */
export function createPrompt<T>(read: () => Promise<T>, first: T, patience = PATIENCE_MS): () => Promise<T> {
  let last = first;
  let asked: Promise<T> | undefined;
  let isLate = false;
  return () => {
    if (isLate) return Promise.resolve(last);
    asked ??= read()
      .then((value) => (last = value))
      .finally(() => {
        asked = undefined;
        isLate = false;
      });
    const late = (): T => {
      isLate = true;
      // Whoever waited for it has gone.
      asked?.catch(() => undefined);
      return last;
    };
    return deadline(asked, patience, late);
  };
}

/** The same of a table, for whoever asks once. */
async function readIndexUse(crawl: Pick<CrawlContext, 'tables'> & IndexedCrawl): Promise<IndexState> {
  if (!isThere(crawl)) return {};
  // No words: they would take longer to load than all else.
  const reader = await openReader(crawl);
  const late: IndexState = { indexProblem: { code: 'STORE_FAILED', hint: 'it gave no answer within a second' } };
  try {
    return await createPrompt(createIndexUse(reader, crawl), late)();
  } finally {
    await reader.close();
  }
}

/** Whether there is an index that a search may find something in, or a reason why it does not. */
function isThere({ settings, indexFolder }: IndexedCrawl): boolean {
  const { writer } = settings.index;
  if (writer !== 'sqlite') return writer === 'opensearch';
  return indexFolder !== undefined && existsSync(join(indexFolder, INDEX_FILE));
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
export async function statusWith(crawl: StatusCrawl, indexUse: () => Promise<IndexState>): Promise<CrawlStatus> {
  const { store } = crawl.tables;
  const asked = store instanceof SharedStore ? store.remoteStatus() : undefined;
  // Side by side: neither is late for the other.
  const [ofIndex, remote] = await Promise.all([indexUse(), asked as Promise<TableStatus | undefined> | undefined]);
  const { holder } = crawl;
  return {
    ...(remote ?? (await ownStatus(crawl))),
    ...(remote && holder && { holder }),
    ...ofIndex,
  };
}
