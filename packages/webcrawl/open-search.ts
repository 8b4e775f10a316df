import { CrawlError } from '../errors/index.js';
import { createWords, openIndexReader, openOpenSearchReader, type IndexReader } from '../index/index.js';
import type { CrawlContext } from '../jobs/index.js';
import { createSearcher, type Searcher, type SearchOptions, type SearchResult } from '../search/index.js';

/** What a search needs of a crawl. */
export type SearchedCrawl = Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>;

/**
 * Opens the search index of a table for many queries: the embedded one in a thread of its own, or that of OpenSearch. It follows the
 * index: what `index` adds is found by the next query. Close it before the crawl.
 * @throws CrawlError BAD_SETTING where neither the table nor `index.path` names a folder, or `index.writer` names what nothing searches;
 *   MISSING_PACKAGE
 */
export async function openSearch(crawl: SearchedCrawl): Promise<Searcher> {
  const { tables, settings } = crawl;
  const words = await createWords();
  return createSearcher({ pages: tables.pages, settings, reader: await openReader(crawl, words.name), words });
}

/**
 * Opens the index that the settings name, for reading.
 * @param words the name of the tokenizer that reads queries: an index of another is refused. Absent: any will do
 * @throws CrawlError as {@link openSearch}
 */
export async function openReader(
  { tables, settings, indexFolder }: SearchedCrawl,
  words?: string,
): Promise<IndexReader> {
  const { writer, url } = settings.index;
  const place = { table: await tables.id(), ...(words !== undefined && { words }) };
  if (writer === 'opensearch') return openOpenSearchReader({ url, ...place });
  if (writer === 'jsonl') {
    throw new CrawlError(
      'BAD_SETTING',
      'expected an index that can be searched, found JSON Lines, which are for other programs',
      {
        hint: 'index.writer sqlite makes one that webcrawl searches, and so does opensearch',
      },
    );
  }
  if (indexFolder === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the folder of a search index, found a table without a folder', {
      hint: 'index.path names one',
    });
  }
  return openIndexReader({ folder: indexFolder, ...place });
}

/**
 * Searches once. Who searches more often opens a {@link Searcher} by {@link openSearch}, and keeps it.
 * @throws CrawlError USAGE for a page or limit that is none, NO_INDEX, WRONG_INDEX, SEARCH_BUSY, BAD_SETTING
 */
export async function search(crawl: SearchedCrawl, query: string, options?: SearchOptions): Promise<SearchResult> {
  const searcher = await openSearch(crawl);
  try {
    return await searcher.search(query, options);
  } finally {
    await searcher.close();
  }
}
