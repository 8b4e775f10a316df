import { CrawlError } from '../errors/index.js';
import { createWords, openIndexReader, openOpenSearchReader, type IndexReader } from '../index/index.js';
import type { CrawlContext } from '../jobs/index.js';
import {
  createReadBudget,
  createSearcher,
  type ReadBudget,
  type Searcher,
  type SearchOptions,
  type SearchResult,
} from '../search/index.js';

export type SearchedCrawl = Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>;

/**
 * Opens the search index of a table for many queries: the embedded index in its own thread, or the index on OpenSearch. Each query also
 * finds pages that `index` has added since the last one. Close it before the crawl.
 * @throws CrawlError BAD_SETTING when neither the table nor `index.path` names a folder; MISSING_PACKAGE. If `index.writer` names an index
 * that cannot be searched, each query rejects with BAD_SETTING
 */
export function openSearch(crawl: SearchedCrawl): Promise<Searcher> {
  return openSearchWithin(createReadBudget(), crawl);
}

/** Opens the search index as {@link openSearch} does, with memory from a shared budget. */
export async function openSearchWithin(budget: ReadBudget, crawl: SearchedCrawl): Promise<Searcher> {
  const { tables, settings } = crawl;
  const words = await createWords();
  return createSearcher({ pages: tables.pages, settings, reader: await openReader(crawl, words.name), words, budget });
}

/**
 * Opens the index that the settings name, to read it.
 * @param words the name of the tokenizer that reads queries; an index made with another tokenizer is rejected. Absent: any index is opened
 * @throws CrawlError as {@link openSearch}
 */
export async function openReader(
  { tables, settings, indexFolder }: SearchedCrawl,
  words?: string,
): Promise<IndexReader> {
  const { writer, url } = settings.index;
  const place = { table: await tables.id(), ...(words !== undefined && { words }) };
  if (writer === 'opensearch') return openOpenSearchReader({ url, ...place });
  if (indexFolder === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the folder of a search index, found a table without a folder', {
      hint: 'index.path names one',
    });
  }
  return openIndexReader({ folder: indexFolder, ...place });
}

/**
 * Searches once. For many searches, open a {@link Searcher} by {@link openSearch} and keep it open.
 * @throws CrawlError USAGE for a wrong page or limit, NO_INDEX, WRONG_INDEX, SEARCH_BUSY, BAD_SETTING
 */
export async function search(crawl: SearchedCrawl, query: string, options?: SearchOptions): Promise<SearchResult> {
  const searcher = await openSearch(crawl);
  try {
    return await searcher.search(query, options);
  } finally {
    await searcher.close();
  }
}
