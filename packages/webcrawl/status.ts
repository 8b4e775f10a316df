import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SharedStore } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { ownStatus, type TableStatus } from '../answers/index.js';
import type { CrawlContext } from '../jobs/index.js';
import { deadline } from '../util/index.js';
import type { Searcher } from '../search/index.js';
import type { CrawlStatus } from '../serve/index.js';
import { INDEX_FILE } from './names.js';
import type { OpenContext } from './open-context.js';

type IndexedCrawl = Pick<CrawlContext, 'settings' | 'indexFolder'>;

type IndexState = Pick<CrawlStatus, 'index' | 'indexProblem'>;

/** Makes a function that returns the size of an index. If the index cannot be used, or was deleted, the function returns the reason. */
export function createIndexUse(searcher: Pick<Searcher, 'info'>, crawl: IndexedCrawl): () => Promise<IndexState> {
  let last: IndexState = {};
  let wasThere = false;
  return async () => {
    try {
      const { documents, bytes, changedAt } = await searcher.info();
      wasThere = true;
      last = { index: { documents, bytes, changedAt } };
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      const { code, hint } = error;
      // The index is busy with other queries: return the last state.
      if (code === 'SEARCH_BUSY') return last;
      last = wasThere || isThere(crawl) ? { indexProblem: { code, ...(hint !== undefined && { hint }) } } : {};
    }
    return last;
  };
}

/** For the figures of the index. */
const MAX_WAIT_MS = 1_000;

/**
 * Makes a function that returns the result of `read` within `patience` milliseconds. If the read is not complete by then, it returns the
 * last result. Until this read is complete, other calls return the last result at once.
 * @param first the result before the first read is complete
 * @param patience milliseconds
 */
export function createPrompt<T>(read: () => Promise<T>, first: T, patience = MAX_WAIT_MS): () => Promise<T> {
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
      // The callers of this read already have the last result, so its failure is ignored.
      asked?.catch(() => undefined);
      return last;
    };
    return deadline(asked, patience, late);
  };
}

async function readIndexUse(crawl: Pick<CrawlContext, 'tables'> & IndexedCrawl): Promise<IndexState> {
  if (!isThere(crawl)) return {};
  const { openReader } = await import('./open-search.js');
  // The index is opened without a tokenizer, which would take longer to load than all other work.
  const reader = await openReader(crawl);
  const late: IndexState = { indexProblem: { code: 'STORE_FAILED', hint: 'it did not respond within a second' } };
  try {
    return await createPrompt(createIndexUse(reader, crawl), late)();
  } finally {
    await reader.close();
  }
}

/** Whether there is an index to read. The index may still be unusable. */
function isThere({ settings, indexFolder }: IndexedCrawl): boolean {
  const { writer } = settings.index;
  if (writer !== 'sqlite') return writer === 'opensearch';
  return indexFolder !== undefined && existsSync(join(indexFolder, INDEX_FILE));
}

export type StatusCrawl = Pick<
  OpenContext,
  'tables' | 'settings' | 'clock' | 'running' | 'since' | 'diskUse' | 'owner' | 'indexFolder'
>;

/** Returns the state of a table, even if another process has it open. The cost to that process is negligible. */
export async function status(crawl: StatusCrawl): Promise<CrawlStatus> {
  return statusWith(crawl, () => readIndexUse(crawl));
}

/** Like {@link status}, but for a caller that asks often and keeps the index open. */
export async function statusWith(crawl: StatusCrawl, indexUse: () => Promise<IndexState>): Promise<CrawlStatus> {
  const { store } = crawl.tables;
  const asked = store instanceof SharedStore ? store.remoteStatus() : undefined;
  // The two requests run at the same time, so that neither delays the other.
  const [ofIndex, remote] = await Promise.all([indexUse(), asked as Promise<TableStatus | undefined> | undefined]);
  const { owner } = crawl;
  return {
    ...(remote ?? (await ownStatus(crawl))),
    ...(remote && owner && { owner }),
    ...ofIndex,
  };
}
