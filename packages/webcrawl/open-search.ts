import { CrawlError } from '../errors/index.js';
import { createWords, openIndexReader } from '../index/index.js';
import type { CrawlContext } from '../jobs/index.js';
import { createSearcher, type Searcher, type SearchOptions, type SearchResult } from '../search/index.js';

/**
 * Opens the search index of a table for many queries, in a thread of its own. It follows the index: what `index` adds is
 * found by the next query. Close it before the crawl.
 * @throws CrawlError BAD_SETTING where neither the table nor `index.path` names a folder
 */
export async function openSearch(crawl: Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>): Promise<Searcher> {
  const { tables, settings, indexFolder } = crawl;
  if (indexFolder === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the folder of a search index, found a table without a folder', {
      hint: 'index.path names one',
    });
  }
  const words = await createWords();
  const reader = openIndexReader({ folder: indexFolder, words: words.name, table: await tables.id() });
  return createSearcher({ pages: tables.pages, settings, reader, words });
}

/**
 * Searches once. Who searches more often opens a {@link Searcher} by {@link openSearch}, and keeps it.
 * @throws CrawlError USAGE for a page or limit that is none, NO_INDEX, WRONG_INDEX, SEARCH_BUSY, BAD_SETTING
 */
export async function search(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>,
  query: string,
  options?: SearchOptions,
): Promise<SearchResult> {
  const searcher = await openSearch(crawl);
  try {
    return await searcher.search(query, options);
  } finally {
    await searcher.close();
  }
}
